import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { interleave, medianOf, medianRatio } from '../rounds.ts';

it('npm run bench shows its progress and the figures of each job', async () => {
  const words = ['tools/bench/run.ts', '--quick'];
  const { stdout: output } = await promisify(execFile)(process.execPath, words);

  const jobs = output.match(/^\w+\.+$/gm)!.map((line) => line.replaceAll('.', ''));
  expect(jobs).toEqual(['list', 'million', 'limiter', 'cold']);
  const values = output.match(/^ {2}\S.* {2,}[\d.]+$/gm)!.map((line) => Number(/\S+$/.exec(line)));
  expect(values).toHaveLength(11);
  for (const value of values) expect(value).toBeGreaterThan(0);
}, 180_000);

it('contestants run in turn, and the median of the ratios within a round is taken', async () => {
  const ran: string[] = [];
  let round = 0;

  const { ours, peer } = await interleave(3, { ours: 'our', peer: 'their' }, async (name) => {
    const cpuMs = { our: [2, 40, 9], their: [1, 10, 6] }[name]![Math.floor(round++ / 2)]!;
    ran.push(name);
    return { cpuMs };
  });

  expect(ran).toEqual(['our', 'their', 'our', 'their', 'our', 'their']);
  expect(medianRatio(ours, peer, 'cpuMs')).toBe(2);
  expect(medianOf(ours, 'cpuMs')).toBe(9);
});
