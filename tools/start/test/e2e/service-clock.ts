import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../../test/helpers/temporary-directory.ts';
import { patient, preloading, templateWithFunctions } from './template-with-functions.ts';

/** A clock for a local run and its functions that moves only when a test sets it. */
export interface ServiceClock extends Disposable {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly set: (nowMs: number) => void;
  /** The settings with which a local run uses this clock. */
  readonly serviceOptions: { readonly templateFile: string; readonly now: () => number };
}

/**
 * Functions run in threads and use the system's clock. A variable in the template makes them load a
 * replacement that reads the time from a file.
 */
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
  const variables = {
    ...preloading(join(import.meta.dirname, 'function-clock.cjs')),
    TEST_CLOCK_FILE: clockFile,
  };
  return {
    now,
    set,
    serviceOptions: { templateFile: templateWithFunctions(variables, patient), now },
    [Symbol.dispose]: () => directory.remove(),
  };
}
