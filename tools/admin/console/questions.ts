import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { InterruptedError, OperatorError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
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
    const problem = 'nothing was changed: asking for confirmation needs a terminal';
    throw new OperatorError(problem, { remedy: 'give --yes' });
  }
  ask(io, `${question} [y/N]`);
  const answer = await firstLine(io);
  if (/^y(es)?$/i.test(answer.trim())) return;
  throw new OperatorError('not confirmed: nothing was changed');
}

/** Reads a secret from standard input. A terminal shows the prompt, but not what is typed. */
export async function readSecret(io: CommandIo, prompt: string): Promise<string> {
  if (!isInteractive(io)) return text(io.stdin);
  ask(io, prompt);
  // With an output, readline turns off the terminal's echo and writes what is typed to the output.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  try {
    return await firstLine(io, nowhere);
  } finally {
    print(io.stderr, '');
  }
}

function ask({ stderr }: CommandIo, question: string): void {
  stderr.write(`${printable(question)} `);
}

// With `question` of readline/promises, a promise stays pending if the input ends without a line break.
async function firstLine(
  { stdin, interruption: signal }: CommandIo,
  output?: Writable,
): Promise<string> {
  const terminal = output !== undefined;
  const lines = createInterface({ input: stdin, output, terminal, signal, historySize: 0 });
  let isInterrupted = false;
  lines.on('SIGINT', () => {
    isInterrupted = true;
    lines.close();
  });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
  }
  if (isInterrupted || signal.aborted) {
    throw new InterruptedError('interrupted: nothing was changed');
  }
  return '';
}
