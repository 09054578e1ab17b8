import type { Readable, Writable } from 'node:stream';
import { printable } from './printable.ts';

/** All that a command touches besides the service: so that tests can run it in process. */
export interface CommandIo {
  /** Where secrets and answers to questions come from. */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Screen;
  /** Questions are asked and a progress bar is drawn on it when it is a terminal. */
  readonly stderr: Screen;
  /** Of its variables, only `STORE_ORDERS_STAGE` and `STORE_ORDERS_LOCAL` are looked at. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Filled in by the command that finds its stage. */
  readonly actedOn?: { stage?: string };
  /** Where interrupted imports leave their checkpoints. */
  readonly stateDirectory: string;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Aborted when the operator interrupts a command that can end in good order. */
  readonly onInterrupt: () => AbortSignal;
}

/** What is written on: a terminal, a file or a pipe. */
export type Screen = Writable & { isTTY?: boolean; columns?: number };

const usualColumns = 80;

/** How many columns there are to write in; no limit where no terminal is written on. */
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
 * Names come from owners and messages from servers: each text passes `printable` where it is
 * written, and therefore here and nowhere else. Only exported orders and progress bars do not.
 */

/** Prints a result: `value` as one line of JSON where that is asked for, else text for people. */
export function print(io: CommandIo, { json }: GlobalOptions, value: unknown, text: string): void {
  printText(io, json ? JSON.stringify(value) : text);
}

/**
 * Prints a result with a token that cannot be had again.
 *
 * @throws the stream's error where nobody has got it
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

/** Prints a result that is text already. */
export function printText({ stdout }: CommandIo, text: string): void {
  stdout.write(`${printable(text)}\n`);
}

/** Tells something that is no result, on standard error. */
export function tell(io: Pick<CommandIo, 'stderr'>, text: string): void {
  io.stderr.write(`${printable(text)}\n`);
}

/** Asks something whose answer is typed behind it, and says of which stage. */
export function ask({ stderr, actedOn }: CommandIo, question: string): void {
  const stage = actedOn?.stage === undefined ? '' : `${actedOn.stage}: `;
  stderr.write(`${printable(stage + question)} `);
}
