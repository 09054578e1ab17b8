import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { watchSources } from '../../../demo/watch/source-files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../helpers/temporary-directory.ts';

let directory: TemporaryDirectory;
let watcher: Disposable;
let noticed: Set<string>;
let wake: () => void;

beforeEach(() => {
  directory = temporaryDirectory();
  mkdirSync(join(directory.path, 'inner'));
  directory.write('inner/handler.ts', 'old');
  noticed = new Set();
  wake = () => {};
  watcher = watchSources([directory.path], (file) => {
    noticed.add(file);
    wake();
  });
});

afterEach(() => {
  watcher[Symbol.dispose]();
  directory.remove();
});

async function untilNoticed(name: string): Promise<void> {
  while (!noticed.has(join(directory.path, name))) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

describe('a watched folder tells of a source file', () => {
  it('that is written in place, again and again', async () => {
    directory.write('inner/handler.ts', 'new');
    await untilNoticed('inner/handler.ts');
    noticed.clear();

    directory.write('inner/handler.ts', 'newer');

    await expect(untilNoticed('inner/handler.ts')).resolves.toBeUndefined();
  });

  it('that another file takes the place of, again and again', async () => {
    for (const text of ['new', 'newer']) {
      noticed.clear();
      renameSync(
        directory.write('inner/.handler.ts.tmp', text),
        join(directory.path, 'inner/handler.ts'),
      );
      await untilNoticed('inner/handler.ts');
    }

    expect([...noticed]).toEqual([join(directory.path, 'inner/handler.ts')]);
  });

  it('that is removed', async () => {
    rmSync(join(directory.path, 'inner/handler.ts'));

    await expect(untilNoticed('inner/handler.ts')).resolves.toBeUndefined();
  });

  it('in a folder that is new', async () => {
    mkdirSync(join(directory.path, 'new'));
    directory.write('new/first.ts', '');
    await untilNoticed('new/first.ts');

    directory.write('new/second.ts', '');

    await expect(untilNoticed('new/second.ts')).resolves.toBeUndefined();
  });
});
