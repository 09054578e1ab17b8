import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { targets } from '../report.ts';

const run = promisify(execFile);

async function bench(...options: string[]) {
  const { stdout, stderr } = await run(process.execPath, ['tools/bench/run.ts', ...options]);
  return { lines: stdout.trimEnd().split('\n'), stderr };
}

describe('npm run bench', () => {
  it('prints one line of figures with --json, and the table on standard error', async () => {
    const { lines, stderr } = await bench('--quick', '--json');

    expect(lines).toHaveLength(1);
    const figures = JSON.parse(lines[0]!);
    expect(Object.keys(figures)).toEqual(Object.keys(targets));
    for (const value of Object.values(figures)) expect(value).toBeGreaterThan(0);
    expect(stderr).toContain('Limiter: one request');
  }, 180_000);

  it.each([
    [['--only', 'nonsense'], "--only .* 'nonsense' is invalid. Allowed choices are list, million"],
    [['--bogus'], "unknown option '--bogus'"],
  ])('answers %j with the mistake in one line', async (options, message) => {
    await expect(bench(...options)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`^error: .*${message}.*\n$`),
    });
  });
});
