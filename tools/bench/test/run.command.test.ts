import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { interleave, medianOf, medianRatio } from '../rounds.ts';

const run = promisify(execFile);

async function bench(...options: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['tools/bench/run.ts', ...options]);
  return stdout;
}

describe('npm run bench', () => {
  it('shows its progress and the figures of each job', async () => {
    const output = await bench('--quick');

    expect(output.match(/^\w+\.+$/gm)?.map((line) => line.replaceAll('.', ''))).toEqual([
      'list',
      'million',
      'limiter',
      'cold',
    ]);
    const values = output
      .match(/^ {2}\S.* {2,}[\d.]+$/gm)!
      .map((line) => Number(/\S+$/.exec(line)));
    expect(values).toHaveLength(16);
    for (const value of values) expect(value).toBeGreaterThan(0);
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

describe('interleaved rounds', () => {
  it('let every contestant run once a round, in turn', async () => {
    const order: string[] = [];

    const contestants = { ours: 'our', peer: 'their' };
    const results = await interleave(2, contestants, async (contestant) => order.push(contestant));

    expect(order).toEqual(['our', 'their', 'our', 'their']);
    expect(results).toEqual({ ours: [1, 3], peer: [2, 4] });
  });

  it('compare two contestants within each round, and take the median of the ratios', () => {
    const ours = [{ cpuMs: 2 }, { cpuMs: 40 }, { cpuMs: 9 }];
    const peers = [{ cpuMs: 1 }, { cpuMs: 10 }, { cpuMs: 6 }];

    expect(medianRatio(ours, peers, 'cpuMs')).toBe(2);
    expect(medianOf(ours, 'cpuMs')).toBe(9);
  });
});
