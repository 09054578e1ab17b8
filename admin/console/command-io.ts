import type { Writable } from 'node:stream';

/** All that a command touches besides the service: so that tests can run it in process. */
export interface CommandIo {
  readonly stdout: Writable;
  /** A progress bar is drawn on it when it is a terminal. */
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

/** Prints a result: `value` as one line of JSON where that is asked for, else text for people. */
export function print(io: CommandIo, { json }: GlobalOptions, value: unknown, text: string): void {
  io.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}
