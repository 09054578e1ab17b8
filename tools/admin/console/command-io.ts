import type { Readable, Writable } from 'node:stream';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type Target, withTarget } from '../stage/target.ts';

/**
 * Everything that a command uses besides the service. Tests pass a double, and run the command in the test's process.
 */
export interface CommandIo {
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Screen;
  /** Shows questions and the progress. */
  readonly stderr: Screen;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  /** Aborted when the operator presses Ctrl+C. */
  readonly interruption: AbortSignal;
}

type Screen = Writable & { isTTY?: boolean };

/** A result prints `text`. With `--json`, it prints `value` as one line of JSON. */
export interface Result {
  readonly value: unknown;
  readonly text: string;
  /** A new key. No other token is ever printed in full. */
  readonly issued?: { readonly keyId: string; readonly apiKey: string };
  /** The error with which the command fails after it has printed the result. */
  readonly failure?: Error | undefined;
}

// Names and messages can contain control characters, so the functions below pass every text through `printable`.

/**
 * Prints a result on standard output.
 *
 * @throws OperatorError if it cannot be written. If the result is a new key, the error names the command that revokes
 * the key
 */
export async function printResult(
  { stdout }: CommandIo,
  { json: isJson, ...target }: Target & { json?: boolean },
  result: Result,
): Promise<void> {
  const { issued } = result;
  const text = withTarget(isJson ? JSON.stringify(result.value) : result.text, target);
  const line = `${printable(text, issued?.apiKey)}\n`;
  await new Promise<void>((resolve, reject) => {
    stdout.write(line, (error) => (error ? reject(error) : resolve()));
  }).catch((cause) => {
    // If a reader such as `head` has closed the pipe, nothing has failed, except that nobody has received a new key.
    if (!issued && cause.code === 'EPIPE') return;
    const what = issued ? `The API key of ${issued.keyId}` : 'The result';
    const remedy = issued
      ? `nobody has received it, so run "./admin keys revoke ${issued.keyId}" and issue another key`
      : 'if the command makes a change, the change is made; write the output to another place';
    throw new OperatorError(`${what} could not be printed: ${reasonOf(cause)}`, { cause, remedy });
  });
}

/** Prints a text on standard output or standard error. */
export function print(screen: Screen, text: string): void {
  screen.write(`${printable(text)}\n`);
}
