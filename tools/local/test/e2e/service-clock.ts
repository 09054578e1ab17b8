import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../../test/helpers/temporary-directory.ts';
import { templateWithFunctions } from './template-with-functions.ts';

/** A clock for a local run and its functions that moves only when a test sets it. */
export interface ServiceClock extends Disposable {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly set: (nowMs: number) => void;
  /** The settings with which a local run uses this clock. */
  readonly serviceOptions: { readonly templateFile: string; readonly now: () => number };
}

/** Functions run in threads. They read the time from a file, whose name they get in a variable. */
export function serviceClock(startMs: number): ServiceClock {
  const directory = temporaryDirectory();
  const clockFile = join(directory.path, 'now');
  let nowMs = startMs;
  const now = () => nowMs;
  const set = (newMs: number) => {
    nowMs = newMs;
    // The file is renamed after writing, so that a function never reads an incomplete file.
    renameSync(directory.write('next', String(newMs)), clockFile);
  };
  set(startMs);
  return {
    now,
    set,
    serviceOptions: { templateFile: templateWithFunctions({ TEST_CLOCK_FILE: clockFile }), now },
    [Symbol.dispose]: () => directory.remove(),
  };
}
