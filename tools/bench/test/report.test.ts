import { describe, expect, it } from '@jest/globals';
import { type Findings, median, renderFindings, renderJson, targets } from '../report.ts';
import { interleave } from '../workbench.ts';

const limiter: Findings = {
  title: 'Limiter',
  measurements: [{ what: 'ours: CPU', value: 0.4242, unit: 'ms' }],
  figures: { limiter_round_trips: 1, limiter_cpu_vs_rate_limiter_flexible: 0.51234 },
};
const list: Findings = { title: 'List', measurements: [], figures: { list_kb: 187.5 } };

describe("the benchmark's report", () => {
  it('is one line of rounded figures for machines, in one order whatever was measured', () => {
    const json = renderJson([list, limiter]);

    expect(json).toBe(
      '{"limiter_round_trips":1,"limiter_cpu_vs_rate_limiter_flexible":0.512,"list_kb":187.5}',
    );
  });

  it('says for people what was measured and which figure misses its target', () => {
    const target = targets.limiter_cpu_vs_rate_limiter_flexible;

    const text = renderFindings(limiter);

    expect(text).toContain('0.42 ms');
    expect(text).toMatch(/limiter_round_trips +1\.00 {2}\(target 1\)/);
    expect(text).toContain(`rate_limiter_flexible  0.51  (MISSES its target of ${target})`);
  });

  it('compares no figure of a quick run with its target', () => {
    expect(renderFindings(limiter, true)).toContain('0.51');
    expect(renderFindings(limiter, true)).not.toMatch(/target/i);
  });
});

describe('interleaved rounds', () => {
  it('let every contestant run once a round, in turn', async () => {
    const order: string[] = [];
    const run = (name: string) => async () => order.push(name);

    const results = await interleave(2, { ours: run('ours'), peer: run('peer') });

    expect(order).toEqual(['ours', 'peer', 'ours', 'peer']);
    expect(results).toEqual({ ours: [1, 3], peer: [2, 4] });
  });

  it.each([
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 2.5],
  ])('are summed up by their median: %j', (values, expected) => {
    expect(median(values)).toBe(expected);
  });
});
