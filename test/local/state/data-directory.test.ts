import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DataDirectory, openDataDirectory } from '../../../local/state/data-directory.ts';
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

    expect(directory.read('a.json')).toEqual({ a: 1 });
    expect(directory.read('b.json')).toBeUndefined();
  });

  it('lets nobody else read its files', async () => {
    const directory = await open();

    directory.write('a.json', {});

    expect(statSync(directory.pathOf('a.json')).mode & 0o077).toBe(0);
  });

  it('has either the old or the new file after a write that was broken off', async () => {
    const directory = await open();
    directory.write('a.json', 'old');

    writeFileSync(directory.pathOf('a.json.new'), '"half');

    expect(directory.read('a.json')).toBe('old');
    directory.write('a.json', 'new');
    expect([directory.read('a.json'), readdirSync(directory.path)]).toEqual(['new', ['a.json']]);
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

  it('is empty at first, and needs no directory', () => {
    const state = new GatewayState(undefined);

    state.saveKeys(keys);
    state.saveUsageSoon();
    state.flush();

    expect([state.keys, state.usage]).toEqual([{ apiKeys: [], usagePlanKeys: [] }, {}]);
  });

  it('has keys kept at once, and counts when it is flushed', async () => {
    const directory = await open();
    const state = new GatewayState(directory);

    state.saveKeys(keys);
    expect(new GatewayState(directory).keys).toEqual(keys);

    state.usage['p1 k1'] = { period: '2026-11-20', count: 3 };
    state.saveUsageSoon();
    state.flush();
    const later = new GatewayState(directory);
    expect([later.keys, later.usage]).toEqual([keys, state.usage]);
  });
});
