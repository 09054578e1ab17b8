import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type DataDirectory,
  type FileFormat,
  openDataDirectory,
} from '../../../local/state/data-directory.ts';
import { GatewayState } from '../../../local/state/gateway-state.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

let parent: string;
let removeParent: () => void;
let opened: DataDirectory[];

beforeEach(() => {
  ({ path: parent, remove: removeParent } = temporaryDirectory());
  opened = [];
});

afterEach(async () => {
  for (const directory of opened) await directory.release();
  removeParent();
});

const anything: FileFormat<unknown> = { isValid: (_): _ is unknown => true, remedy: 'remove it' };

async function open(path = join(parent, 'deep/data')): Promise<DataDirectory> {
  const directory = await openDataDirectory(path);
  opened.push(directory);
  return directory;
}

describe('data directory', () => {
  it('is created when it is not there', async () => {
    const { path } = await open();

    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('gives back what was written, and undefined for what was not', async () => {
    const directory = await open();

    directory.write('a.json', { a: 1 });

    expect(directory.read('a.json', anything)).toEqual({ a: 1 });
    expect(directory.read('b.json', anything)).toBeUndefined();
  });

  it('lets nobody else read its files', async () => {
    const directory = await open();

    directory.write('a.json', {});

    expect(statSync(directory.pathOf('a.json')).mode & 0o077).toBe(0);
  });

  it('lets nobody else look into it, also when it was open before', async () => {
    const path = join(parent, 'data');
    mkdirSync(path);
    chmodSync(path, 0o755);

    await open(path);

    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('has the old file after a write that was broken off, and nothing else at the next opening', async () => {
    const directory = await openDataDirectory(join(parent, 'data'));
    directory.write('a.json', 'old');
    writeFileSync(directory.pathOf('a.json.0123456789abcdef.new'), '"half');
    await directory.release();

    const next = await open(join(parent, 'data'));

    expect(next.read('a.json', anything)).toBe('old');
    expect(readdirSync(next.path)).toEqual(['a.json']);
  });

  it('does not write through a link that somebody has prepared', async () => {
    const directory = await open();
    const target = join(parent, 'target');
    writeFileSync(target, 'as it was');
    for (const name of ['a.json', 'a.json.new']) symlinkSync(target, directory.pathOf(name));

    directory.write('a.json', 'new');

    expect(readFileSync(target, 'utf8')).toBe('as it was');
    expect(directory.read('a.json', anything)).toBe('new');
  });

  it.each([
    ['is no JSON', '{"half'],
    ['holds something else', '[]'],
  ])('says of a file that %s where it is and what to do', async (_, text) => {
    const directory = await open();
    writeFileSync(directory.pathOf('a.json'), text);
    const kept = { isValid: (value: unknown): value is string => typeof value === 'string' };

    expect(() => directory.read('a.json', { ...kept, remedy: 'remove it' })).toThrow(
      expect.objectContaining({
        name: 'LocalRunError',
        message: expect.stringMatching(/^the file \/.*\/a\.json is damaged \([^\n]+\): remove it$/),
      }),
    );
  });

  it('says of a file that cannot be written where it is and what to do', async () => {
    const directory = await open();
    rmSync(directory.path, { recursive: true });

    expect(() => directory.write('a.json', 1)).toThrow(
      /^the file .*\/data\/a\.json cannot be written \(ENOENT.*\): make room on its disk, or /,
    );
  });

  it('belongs to one run at a time, also under another name', async () => {
    const { path } = await open();
    const link = join(parent, 'link');
    symlinkSync(path, link);

    await expect(openDataDirectory(link)).rejects.toThrow(
      `the directory ${link} is in use by another local run: stop that, or name another`,
    );
  });

  it('is free again once it has been released', async () => {
    const first = await openDataDirectory(join(parent, 'data'));
    await first.release();

    await expect(open(join(parent, 'data'))).resolves.toBeDefined();
  });

  it('is free again when the process that had it was killed', async () => {
    const path = join(parent, 'data');
    const module = new URL('../../../local/state/data-directory.ts', import.meta.url).href;
    const code = `const { openDataDirectory } = await import(${JSON.stringify(module)});
      await openDataDirectory(${JSON.stringify(path)}); console.log('open'); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
    await once(child.stdout, 'data');
    await expect(openDataDirectory(path)).rejects.toThrow('in use');

    child.kill('SIGKILL');
    await once(child, 'exit');

    await expect(open(path)).resolves.toBeDefined();
  });
});

describe('gateway state', () => {
  const key = {
    id: 'k1',
    name: 'one',
    value: 'value-1',
    enabled: true,
    createdDate: 1,
    lastUpdatedDate: 1,
  };
  const keys = { apiKeys: [key], usagePlanKeys: [{ usagePlanId: 'p1', keyId: 'k1' }] };

  const lines: string[] = [];
  const stateIn = (directory?: DataDirectory) =>
    new GatewayState(directory, (line) => lines.push(line));

  it('is empty at first, and needs no directory', () => {
    const state = stateIn();

    state.saveKeys(keys);
    state.saveUsageSoon();
    state.flush();

    expect([state.keys, state.usage]).toEqual([{ apiKeys: [], usagePlanKeys: [] }, {}]);
  });

  it('has keys kept at once, and counts when it is flushed', async () => {
    const directory = await open();
    const state = stateIn(directory);

    state.saveKeys(keys);
    expect(stateIn(directory).keys).toEqual(keys);

    state.usage['p1 k1'] = { period: '2026-11-20', count: 3 };
    state.saveUsageSoon();
    state.flush();
    const later = stateIn(directory);
    expect([later.keys, later.usage]).toEqual([keys, state.usage]);
  });

  it.each(['{"half', '[]', '{"apiKeys":5}'])('that is damaged stops the run: %s', async (text) => {
    const directory = await open();
    writeFileSync(directory.pathOf('gateway.json'), text);

    expect(() => stateIn(directory)).toThrow(/gateway\.json is damaged .*: put a copy of it back/);
  });

  it('survives a disk that is full: says so once, tries again, and says that it is over', async () => {
    jest.useFakeTimers();
    lines.length = 0;
    const written: unknown[] = [];
    let isFull = true;
    const directory = await open();
    const write = (_: string, value: unknown) => {
      if (isFull) throw new Error('the file cannot be written (ENOSPC)');
      written.push(value);
    };
    const state = stateIn({ ...directory, write });

    state.saveUsageSoon();
    jest.advanceTimersByTime(20_000);
    isFull = false;
    jest.advanceTimersByTime(20_000);
    jest.useRealTimers();

    expect(lines).toEqual([
      'gateway: the file cannot be written (ENOSPC)',
      'gateway: gateway.json is written again',
    ]);
    expect(written).toHaveLength(1);
  });
});
