import type { Readable, Writable } from 'node:stream';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';

/** Everything that a command uses besides the service, so that tests can run it in process. */
export interface CommandIo {
  /** Secrets and answers to questions are read from it. */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Screen;
  /** Questions are asked and a progress bar is drawn on it when it is a terminal. */
  readonly stderr: Screen;
  /** The environment variables, which name the stage and the profile of AWS. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Is aborted when the operator presses Ctrl+C, from the start of the process on. */
  readonly interruption: AbortSignal;
  /** Lets Ctrl+C end the process at once, for a command that does not listen to it. */
  readonly endAtSignals: () => void;
}

/** An output stream: a terminal, a file or a pipe. */
export type Screen = Writable & { isTTY?: boolean };

/**
 * What a command prints: with `--json` the value as one line of JSON, or a line that is JSON already,
 * and otherwise the text.
 */
export type Result = {
  readonly text: string;
  /** A new key, whose token is the only one that is printed in full, and is not shown again. */
  readonly issued?: { readonly keyId: string; readonly apiKey: string };
  /** What the command fails with once the result is printed. */
  readonly failure?: Error;
} & ({ readonly value: unknown } | { readonly json: string });

/*
 * Names come from owners and messages from servers, so the functions below pass every text through
 * `printable`. Commands print with these functions only, except for exported orders and the progress
 * bar.
 */

/**
 * Prints the result of a command.
 *
 * @throws the stream's error when it could not be written, and of a new key, which nobody has then, an
 *   OperatorError with the command that revokes it
 */
export async function printResult(
  { stdout }: CommandIo,
  { json: isJson }: { json?: boolean },
  result: Result,
): Promise<void> {
  const { text, issued } = result;
  const json = 'json' in result ? result.json : JSON.stringify(result.value);
  const line = `${printable(isJson ? json : text, issued?.apiKey)}\n`;
  await new Promise<void>((resolve, reject) => {
    stdout.write(line, (error) => (error ? reject(error) : resolve()));
  }).catch((error) => {
    if (!issued) throw error;
    const problem = `The API key of ${issued.keyId} could not be written: ${reasonOf(error)}`;
    const remedy = `nobody has it: run "keys revoke ${issued.keyId}", then "keys issue"`;
    throw new OperatorError(problem, { remedy });
  });
}

/** Prints a text on standard output or standard error. */
export function print(screen: Screen, text: string): void {
  screen.write(`${printable(text)}\n`);
}
