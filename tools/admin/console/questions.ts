import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { unlessInterrupted } from '../stage/interruption.ts';
import { type CommandIo, print } from './command-io.ts';

function isInteractive({ stdin, stderr }: CommandIo): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks for confirmation, unless `--yes` is given. @throws OperatorError if the answer is not yes */
export async function confirm(
  io: CommandIo,
  { yes }: { yes?: boolean },
  question: string,
): Promise<void> {
  if (yes) return;
  if (!isInteractive(io)) {
    const problem = 'nothing was changed, because there is no terminal to ask for confirmation';
    throw new OperatorError(problem, { remedy: 'confirm with --yes' });
  }
  const answer = await firstLine(io, `${question} [y/N]`);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new OperatorError('not confirmed: nothing was changed');
}

/** Reads a secret from standard input. A terminal shows the prompt, but not what is typed. */
export async function readSecret(io: CommandIo, prompt: string): Promise<string> {
  if (!isInteractive(io)) return unlessInterrupted(() => text(io.stdin), io.interruption);
  // Readline turns off the terminal's echo only if it has an output, to which it writes each typed character.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await firstLine(io, prompt, nowhere);
  } finally {
    print(io.stderr, '');
  }
}

// Returns the first line. `question` of readline/promises is not used, because its promise stays pending if the input
// ends without a line break.
async function firstLine(io: CommandIo, question: string, output?: Writable): Promise<string> {
  const { stdin, stderr, interruption: signal } = io;
  stderr.write(`${printable(question)} `);
  const terminal = output !== undefined;
  using lines = createInterface({ input: stdin, output, terminal, signal, historySize: 0 });
  let isInterrupted = false;
  lines.on('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  for await (const line of lines) return line;
  // Without an answer, the cursor is still behind the question.
  if (!terminal) print(io.stderr, '');
  if (isInterrupted || signal.aborted) {
    throw new InterruptedError('interrupted: nothing was changed');
  }
  return '';
}
