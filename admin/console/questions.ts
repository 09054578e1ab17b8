import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../../shared/errors.ts';
import { ask, type CommandIo, tell } from './command-io.ts';

/** Options of a command that asks before it changes something. */
export interface ConfirmationOptions {
  yes?: boolean;
}

/** Stands in the help of a command that a script runs as before. */
export const confirmationHelp = `
On a terminal it asks before it does so, unless --yes is given; without a terminal it does not ask.`;

/** Whether somebody can be asked. */
export function isInteractive({ stdin, stderr }: CommandIo): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks on a terminal, where `--yes` has not answered already. A script is not asked.
 *
 * @param question made only where somebody is asked
 * @throws OperatorError when the answer is not yes
 */
export async function confirm(
  io: CommandIo,
  { yes }: ConfirmationOptions,
  question: () => Promise<string> | string,
): Promise<void> {
  if (yes || !isInteractive(io)) return;
  ask(io, `${await question()} [y/N]`);
  const answer = await firstLine(io);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new OperatorError('Not confirmed: nothing was changed');
}

/**
 * As `confirm`, for what no script should do by accident.
 *
 * @throws OperatorError when the answer is not yes, or there is nobody to ask
 */
export async function confirmAlways(
  io: CommandIo,
  options: ConfirmationOptions,
  question: () => Promise<string> | string,
): Promise<void> {
  if (options.yes || isInteractive(io)) return confirm(io, options, question);
  throw new OperatorError('Nothing was changed: there is no terminal to ask on', {
    remedy: 'give --yes',
  });
}

/**
 * A secret from standard input, which shows it nowhere: a terminal's echo is off meanwhile.
 *
 * @param prompt what to ask for on a terminal
 */
export async function readSecret(io: CommandIo, prompt: string): Promise<string> {
  if (!isInteractive(io)) return text(io.stdin);
  ask(io, prompt);
  io.stdin.setRawMode?.(true);
  try {
    return await hiddenLine(io);
  } finally {
    io.stdin.setRawMode?.(false);
    tell(io, '');
  }
}

const controlC = '\u0003';
const controlD = '\u0004';
const erased = /[^\u007f\b][\u007f\b]/;

async function hiddenLine({ stdin }: CommandIo): Promise<string> {
  let typed = '';
  // Ended by the return, the loop would otherwise close standard input for good.
  for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
    typed += String(chunk).replaceAll(controlD, '\n');
    if (typed.includes(controlC)) throw new OperatorError('Interrupted: nothing was looked up');
    if (/[\r\n]/.test(typed)) break;
  }
  let [line = ''] = typed.split(/[\r\n]/);
  while (erased.test(line)) line = line.replace(erased, '');
  return line;
}

async function firstLine({ stdin }: CommandIo): Promise<string> {
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
