import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';

const program = join(import.meta.dirname, '../run.ts');
const baseUrl = 'https://orders.example.com/v1';
const directory = temporaryDirectoryOfEachTest();

const env = { AWS_PROFILE: 'nobody' };
const run = (...options: string[]) =>
  promisify(execFile)(process.execPath, [program, ...options], { env }).catch((error) => error);

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

  it.each([
    ['an option is missing', ['--url', baseUrl], /^--out is missing: [^\n]*\n$/],
    [
      'AWS cannot be asked',
      ['--stage', 'staging', '--out', 'x'],
      /^stage staging: there is no profile nobody; correct AWS_PROFILE: [^\n]*\n$/,
    ],
  ])('ends with code 1 and one line where %s', async (_, options, line) => {
    const { code, stderr } = await run(...options);

    expect(code).toBe(1);
    expect(stderr).toMatch(line);
  });
});
