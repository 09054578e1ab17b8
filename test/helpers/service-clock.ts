import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { assetsManifestFile, type StageName, template } from './synthesized.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A clock that stands still until a test sets it, for a local run and for its functions. */
export interface ServiceClock extends Disposable {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly set: (nowMs: number) => void;
  /** What a local run is started with, so that all of it goes by this clock. */
  readonly serviceOptions: {
    readonly templateFile: string;
    readonly assetsManifestFile: string;
    readonly now: () => number;
  };
}

/**
 * Functions run in threads of their own, and have the system's clock: the template's functions are
 * told to load one in its place, which reads the time from a file.
 */
export function serviceClock(stage: StageName, startMs: number): ServiceClock {
  const directory = temporaryDirectory();
  const clockFile = join(directory.path, 'now');
  let nowMs = startMs;
  const now = () => nowMs;
  const set = (newMs: number) => {
    nowMs = newMs;
    // Renamed, so that no function reads a file that is not written yet.
    renameSync(directory.write('next', String(newMs)), clockFile);
  };
  set(startMs);
  const templateFile = directory.write('template.json', withClock(stage, clockFile));
  return {
    now,
    set,
    serviceOptions: { templateFile, assetsManifestFile: assetsManifestFile(stage), now },
    [Symbol.dispose]: () => directory.remove(),
  };
}

function withClock(stage: StageName, clockFile: string): string {
  const changed = template(stage);
  for (const { Type, Properties } of Object.values(changed.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const { Variables } = Properties.Environment;
    const required = `--require ${JSON.stringify(join(import.meta.dirname, 'function-clock.cjs'))}`;
    Variables.NODE_OPTIONS = [Variables.NODE_OPTIONS, required].filter(Boolean).join(' ');
    Variables.TEST_CLOCK_FILE = clockFile;
  }
  return JSON.stringify(changed);
}
