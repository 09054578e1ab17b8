import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { maxBacklogMs, maxListMs, minBytesPerSecond } from '../../lambdas/shared/list-limits.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { missing } from '../helpers/differences.ts';
import { properties } from '../lib/readable.ts';

const page = readFileSync('docs/scaling.md', 'utf8');
const mbitPerSecond = (minBytesPerSecond * 8) / 1_000_000;
const number = new Intl.NumberFormat('en');

describe('docs/scaling.md', () => {
  it('states what one owner can hold of the account, as plans and stream limits have it', () => {
    const [, , ...rows] = /\n(\| plan \| lists a minute .*?)\n\n/s.exec(page)![1]!.split('\n');

    const heldFor = (perMinute: number, ms: number) =>
      number.format(Math.ceil((perMinute * ms) / 60_000));
    const expected = planNames.map((name) => {
      const { perMinute } = plans[name];
      const held = [maxBacklogMs, maxListMs].map((ms) => heldFor(perMinute, ms));
      return [name, number.format(perMinute), ...held];
    });
    expect(rows.map(cellsOf)).toEqual(expected);
  });

  it.each([
    ['docs/scaling.md', `${minBytesPerSecond / 1_000} KB/s (${mbitPerSecond} Mbit/s)`],
    ['docs/scaling.md', `falls ${maxBacklogMs / 1_000} s behind`],
    ['docs/scaling.md', `for more than ${maxListMs / 1_000} s`],
    ['docs/runbook.md', `up to ${maxListMs / 1_000} s`],
    ['openapi.yaml', `less than ${mbitPerSecond} Mbit/s`],
  ])('and others state the limits of lambdas/shared/list-limits.ts: %s, %s', (file, words) => {
    const text = readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ');

    const stated = text.includes(words) ? [words] : [];

    expect(missing(['lambdas/shared/list-limits.ts', [words]], [file, stated])).toEqual([]);
  });

  it('computes what a list costs with the memory that its function has', () => {
    const { ListOrdersFunction: lists } = properties('prod', 'AWS::Lambda::Function');

    const [, memory = ''] = /Lambda, ([\d,]+) MB for that time/.exec(page)!;

    expect(memory).toBe(number.format(lists!.MemorySize));
  });
});

function cellsOf(row: string): string[] {
  const [name = '', ...cells] = row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
  return [name.replace(/,.*/, '').toLowerCase(), ...cells];
}
