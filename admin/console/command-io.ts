import type { Readable, Writable } from 'node:stream';
import { printable } from './printable.ts';

/** Everything that a command uses besides the service, so that tests can run it in process. */
export interface CommandIo {
  /** Secrets and answers to questions are read from it. */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Screen;
  /** Questions are asked and a progress bar is drawn on it when it is a terminal. */
  readonly stderr: Screen;
  /** The environment variables. Only `STORE_ORDERS_STAGE` and `STORE_ORDERS_LOCAL` are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Is set when a command has found its stage. */
  readonly actedOn?: { stage?: string };
  /** The directory for the checkpoints of imports. */
  readonly stateDirectory: string;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Returns a signal that is aborted when the operator presses Ctrl+C. */
  readonly onInterrupt: () => AbortSignal;
}

/** An output stream: a terminal, a file or a pipe. */
export type Screen = Writable & { isTTY?: boolean; columns?: number };

const usualColumns = 80;

/** The width of a stream in columns; infinity when it is not a terminal. */
export function columnsOf({ isTTY, columns }: Screen): number {
  return isTTY ? columns || usualColumns : Number.POSITIVE_INFINITY;
}

/** Options that every command takes. */
export interface GlobalOptions {
  stage?: string;
  local?: string;
  json?: boolean;
}

/*
 * Names come from owners and messages from servers, so the functions below pass every text through
 * `printable`. Commands print with these functions only, except for exported orders and the progress
 * bar.
 */

/** Prints a result: with `--json` the value as one line of JSON, otherwise the text. */
export function print(io: CommandIo, { json }: GlobalOptions, value: unknown, text: string): void {
  printText(io, json ? JSON.stringify(value) : text);
}

/**
 * Prints a result with a token, which cannot be shown again.
 *
 * @throws the stream's error when it could not be written
 */
export async function printIssued(
  io: CommandIo,
  { json }: GlobalOptions,
  value: unknown,
  text: string,
  issuedToken: string,
): Promise<void> {
  const line = `${printable(json ? JSON.stringify(value) : text, issuedToken)}\n`;
  await new Promise<void>((resolve, reject) => {
    io.stdout.write(line, (error) => (error ? reject(error) : resolve()));
  });
}

/** Prints a text on standard output. */
export function printText({ stdout }: CommandIo, text: string): void {
  stdout.write(`${printable(text)}\n`);
}

/** Prints a message on standard error. */
export function printMessage(io: Pick<CommandIo, 'stderr'>, text: string): void {
  io.stderr.write(`${printable(text)}\n`);
}

/** Prints a question with the name of the stage, without a line break. */
export function ask({ stderr, actedOn }: CommandIo, question: string): void {
  const stage = actedOn?.stage === undefined ? '' : `${actedOn.stage}: `;
  stderr.write(`${printable(stage + question)} `);
}
