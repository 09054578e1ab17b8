import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';

const program = join(import.meta.dirname, '../run.ts');
const baseUrl = 'https://orders.example.com/v1';
const directory = temporaryDirectoryOfEachTest();

const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, [program, ...options]).catch((error) => error);

describe('npm run reference', () => {
  it('writes the files of a page, and says where it begins', async () => {
    const out = join(directory.path, 'a/b');

    const { stdout } = await run('--url', `${baseUrl}/`, '--out', out);

    const page = join(out, 'index.html');
    expect(stdout).toBe(`Wrote the reference of ${baseUrl} to ${page}\n`);
    for (const [, name] of readFileSync(page, 'utf8').matchAll(/(?:src|href)="([\w.-]+)"/g)) {
      expect([name, existsSync(join(out, name!))]).toEqual([name, true]);
    }
  });

  it('ends with code 1 and one line where an option is wrong', async () => {
    const { code, stderr } = await run('--url', baseUrl);

    expect(code).toBe(1);
    expect(stderr).toMatch(/^--out is missing: [^\n]*\n$/);
  });
});
