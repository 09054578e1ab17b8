import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
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
import { temporaryDirectory } from '../../../../test/helpers/temporary-directory.ts';
import {
  type DataDirectory,
  type FileFormat,
  openDataDirectory,
} from '../../state/data-directory.ts';

let parent: string;
let removeParent: () => void;
let opened: DataDirectory[];
let holder: ChildProcess | undefined;

beforeEach(() => {
  ({ path: parent, remove: removeParent } = temporaryDirectory());
  opened = [];
});

afterEach(async () => {
  holder?.kill('SIGKILL');
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
    const given = join(parent, 'deep/data');

    const { path } = await open(given);

    expect(path).toBe(given);
    expect(statSync(path).isDirectory()).toBe(true);
  });

  it('says of a path that cannot be one what to do', async () => {
    writeFileSync(join(parent, 'file'), '');

    const message = expect.stringMatching(
      /^the directory .*\/file\/data cannot be used \(ENOTDIR.*\): name another$/,
    );
    const cause = { code: 'ENOTDIR' };
    await expect(open(join(parent, 'file/data'))).rejects.toMatchObject({ message, cause });
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

    const modes = readdirSync(directory.path).map(
      (name) => statSync(directory.pathOf(name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
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
    const others = ['b.0123.new', 'b.0123456789abcdef.new.old', 'b0123456789abcdef.new'];
    for (const name of others) writeFileSync(directory.pathOf(name), '');
    await directory.release();

    const next = await open(join(parent, 'data'));

    expect(next.read('a.json', anything)).toBe('old');
    expect(readdirSync(next.path)).toEqual(['a.json', ...others, 'lock.sqlite']);
  });

  it('has nothing of a write that failed, and leaves no file open', async () => {
    const directory = await open();
    mkdirSync(directory.pathOf('a.json'));
    const openFiles = () => readdirSync('/dev/fd').length;
    const before = openFiles();

    directory.write('b.json', 1);
    expect(() => directory.write('a.json', 1)).toThrow('a.json cannot be written (EISDIR');

    expect(readdirSync(directory.path)).toEqual(['a.json', 'b.json', 'lock.sqlite']);
    expect(openFiles()).toBe(before);
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
    ['is no JSON', '{"half', 'JSON'],
    ['is no JSON in several lines', 'no\n\n  JSON', '"no JSON"'],
    ['holds something else', '[]', 'not have the format'],
  ])('says of a file that %s where it is and what to do', async (_, text, reason) => {
    const directory = await open();
    writeFileSync(directory.pathOf('a.json'), text);
    const kept = { isValid: (value: unknown): value is string => typeof value === 'string' };

    expect(() => directory.read('a.json', { ...kept, remedy: 'remove it' })).toThrow(
      expect.objectContaining({
        name: 'LocalRunError',
        cause: expect.anything(),
        message: expect.stringMatching(
          new RegExp(`^the file /.*/a\\.json is damaged \\([^\\n]*${reason}[^\\n]*\\): remove it$`),
        ),
      }),
    );
  });

  it.each([
    ['a directory', (path: string) => mkdirSync(path)],
    ['a pipe', (path: string) => spawnSync('mkfifo', [path])],
  ])('does not wait for %s in the place of a file', async (_, make) => {
    const directory = await open();
    make(directory.pathOf('a.json'));

    expect(() => directory.read('a.json', anything)).toThrow(
      /a\.json is damaged \(it is no file\): remove it$/,
    );
  });

  it('removes also a directory with the name of a temporary file', async () => {
    const path = join(parent, 'data');
    mkdirSync(join(path, 'a.json.0123456789abcdef.new/deep'), { recursive: true });

    await open(path);

    expect(readdirSync(path)).toEqual(['lock.sqlite']);
  });

  it('says of a file that cannot be written where it is and what to do', async () => {
    const directory = await open();
    rmSync(directory.path, { recursive: true });

    const message = expect.stringMatching(
      /^the file .*\/data\/a\.json cannot be written \(ENOENT.*\): make room on its disk, or /,
    );
    const cause = expect.objectContaining({ code: 'ENOENT' });
    expect(() => directory.write('a.json', 1)).toThrow(expect.objectContaining({ message, cause }));
  });

  it.each(['EMFILE', 'ENFILE'])(
    'says of a file that cannot be written for want of open files what to do: %s',
    async (code) => {
      const openSync = () => {
        throw Object.assign(new Error(code), { code });
      };
      jest.resetModules();
      jest.unstable_mockModule('node:fs', () => ({ ...fs, openSync }));
      const module = await import('../../state/data-directory.ts');
      const directory = await module.openDataDirectory(join(parent, 'data'));
      opened.push(directory);

      expect(() => directory.write('a.json', 1)).toThrow(
        new RegExp(
          `a\\.json cannot be written \\(${code}\\): close connections, or allow more open`,
        ),
      );
    },
  );

  it.each([
    ['a directory', (path: string) => mkdirSync(path), 'unable to open'],
    ['no database', (path: string) => writeFileSync(path, 'x'.repeat(4_096)), 'not a database'],
  ])('says why it cannot be locked where its lock is %s', async (_, make, reason) => {
    const path = join(parent, 'data');
    mkdirSync(path);
    make(join(path, 'lock.sqlite'));

    await expect(open(path)).rejects.toMatchObject({
      name: 'LocalRunError',
      message: expect.stringMatching(
        `cannot be locked \\(lock.sqlite: .*${reason}.*\\): name another`,
      ),
      cause: expect.objectContaining({ code: 'ERR_SQLITE_ERROR' }),
    });
  });

  it('does not keep the process alive', async () => {
    const before = process.getActiveResourcesInfo();

    await open();

    expect(process.getActiveResourcesInfo()).toEqual(before);
  });

  it('belongs to one run at a time, also under another name', async () => {
    const { path } = await open();
    const link = join(parent, 'link');
    symlinkSync(path, link);

    await expect(openDataDirectory(link)).rejects.toThrow(
      `the directory ${link} is in use by another local run: stop that, or name another`,
    );
  });

  it('is free again once it has been released, however often', async () => {
    const first = await openDataDirectory(join(parent, 'data'));
    await first.release();
    await first.release();

    await expect(open(join(parent, 'data'))).resolves.toBeDefined();
  });

  it('belongs to one run also across containers, and is free again when that was killed', async () => {
    const path = join(parent, 'data');
    const module = new URL('../../state/data-directory.ts', import.meta.url).href;
    const code = `const { openDataDirectory } = await import(${JSON.stringify(module)});
      await openDataDirectory(${JSON.stringify(path)}); console.log('open'); setInterval(() => {}, 1e6);`;
    const [program, ...words] = [...inOtherNetwork(), process.execPath];
    const child = spawn(program!, [...words, '--input-type=module', '-e', code], { stdio: 'pipe' });
    holder = child;
    await once(child.stdout, 'data');
    await expect(openDataDirectory(path)).rejects.toThrow('in use');

    child.kill('SIGKILL');
    await once(child, 'exit');

    await expect(open(path)).resolves.toBeDefined();
  });
});

/** The words that run a program with a network of its own, like a container; none where that is not allowed. */
function inOtherNetwork(): string[] {
  const words = ['unshare', '--net', '--map-root-user'];
  return spawnSync(words[0]!, [...words.slice(1), 'true']).status === 0 ? words : [];
}
