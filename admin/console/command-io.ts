import type { Readable, Writable } from 'node:stream';
import { printable } from './printable.ts';

/** All that a command touches besides the service: so that tests can run it in process. */
export interface CommandIo {
  /** Where secrets and answers to questions come from. */
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown };
  readonly stdout: Writable;
  /** Questions are asked and a progress bar is drawn on it when it is a terminal. */
  readonly stderr: Writable & { isTTY?: boolean };
  /** Where interrupted imports leave their checkpoints. */
  readonly stateDirectory: string;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Aborted when the operator interrupts a command that can end in good order. */
  readonly onInterrupt: () => AbortSignal;
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

/**
 * Prints a result: `value` as one line of JSON where that is asked for, else text for people.
 *
 * @param issuedToken the token that is shown this once; any other is masked
 */
export function print(
  io: CommandIo,
  { json }: GlobalOptions,
  value: unknown,
  text: string,
  issuedToken?: string,
): void {
  printText(io, json ? JSON.stringify(value) : text, issuedToken);
}

/** Prints a result that is text already. */
export function printText({ stdout }: CommandIo, text: string, issuedToken?: string): void {
  stdout.write(`${printable(text, issuedToken)}\n`);
}

/** Tells something that is no result, on standard error. */
export function tell(io: Pick<CommandIo, 'stderr'>, text: string): void {
  io.stderr.write(`${printable(text)}\n`);
}

/** Asks something whose answer is typed behind it. */
export function ask({ stderr }: CommandIo, question: string): void {
  stderr.write(`${printable(question)} `);
}
