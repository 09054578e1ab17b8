import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type TemporaryDirectory, temporaryDirectory } from '../helpers/temporary-directory.ts';

const program = join(import.meta.dirname, '../../bin/reference.ts');
const baseUrl = 'https://orders.example.com/v1';
const directories: TemporaryDirectory[] = [];

afterEach(() => {
  for (const directory of directories.splice(0)) directory.remove();
});

function folder(): string {
  const directory = temporaryDirectory();
  directories.push(directory);
  return join(directory.path, 'a/b');
}

async function run(...options: string[]) {
  const running = promisify(execFile)(process.execPath, [program, ...options]);
  return running.then(
    ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

describe('npm run reference', () => {
  it('writes the files of a page, and says where it begins', async () => {
    const out = folder();

    const { code, stdout } = await run('--url', `${baseUrl}/`, '--out', out);

    expect([code, stdout]).toEqual([
      0,
      `Wrote the reference of ${baseUrl} to ${join(out, 'index.html')}\n`,
    ]);
    const html = readFileSync(join(out, 'index.html'), 'utf8');
    for (const [, name] of html.matchAll(/(?:src|href)="([\w.-]+)"/g)) {
      expect([name, existsSync(join(out, name!))]).toEqual([name, true]);
    }
  });

  it.each([
    [['--url', baseUrl], '--out is missing'],
    [['--out', 'x'], 'exactly one of --stage'],
    [['--out', 'x', '--stage', 'prod', '--url', baseUrl], 'exactly one of --stage'],
    [['--out', 'x', '--stage', 'nowhere'], '--stage: "nowhere" is not accepted'],
    [['--out', 'x', '--url', 'orders.example.com'], '--url: "orders.example.com" is not accepted'],
    [['--out', 'x', '--url', 'https://orders.example.com'], '…/v1'],
  ])('says in one line what is wrong with %j', async (options, message) => {
    const { code, stderr } = await run(...options);

    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
