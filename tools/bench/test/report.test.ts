import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import {
  type Findings,
  interleave,
  medianOf,
  medianRatio,
  missedTargets,
  printFindings,
  renderJson,
  targets,
} from '../report.ts';

const limiter: Findings = {
  title: 'Limiter',
  rounds: { ours: [{ cpuMs: 0.42424 }] },
  figures: { limiter_round_trips: 1, limiter_cpu_vs_rate_limiter_flexible: 0.51234 },
};
const list: Findings = { title: 'List', rounds: {}, figures: { list_kb: 187.5 } };

function printed(isQuick: boolean): string {
  let text = '';
  const stream = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  printFindings(limiter, new Console({ stdout: stream, colorMode: false }), isQuick);
  return text;
}

describe("the benchmark's report", () => {
  it('is one line of rounded figures for machines', () => {
    const json = renderJson([list, limiter]);

    expect(json).toBe(
      '{"list_kb":187.5,"limiter_round_trips":1,"limiter_cpu_vs_rate_limiter_flexible":0.5123}',
    );
  });

  it('shows people what was measured and which figure misses its target', () => {
    const target = targets.limiter_cpu_vs_rate_limiter_flexible;

    const text = printed(false);

    expect(text).toMatch(/cpuMs.*\n.*\n.* ours .* 0\.4242 /);
    expect(text).toMatch(/limiter_round_trips .* 1 .* 1 .* 'met'/);
    expect(text).toMatch(new RegExp(`rate_limiter_flexible .* 0.5123 .* ${target} .* 'MISSED'`));
    expect(missedTargets(limiter)).toEqual(['limiter_cpu_vs_rate_limiter_flexible']);
  });

  it('shows no targets for a quick run', () => {
    expect(printed(true)).toContain('0.5123');
    expect(printed(true)).not.toMatch(/target/i);
  });
});

describe('interleaved rounds', () => {
  it('let every contestant run once a round, in turn', async () => {
    const order: string[] = [];

    const results = await interleave(2, { ours: 'our', peer: 'their' }, async (contestant) => ({
      position: order.push(contestant),
    }));

    expect(order).toEqual(['our', 'their', 'our', 'their']);
    expect(results).toEqual({
      ours: [{ position: 1 }, { position: 3 }],
      peer: [{ position: 2 }, { position: 4 }],
    });
  });

  it('compare two contestants within each round, and take the median of the ratios', () => {
    const ours = [{ cpuMs: 2 }, { cpuMs: 40 }, { cpuMs: 9 }];
    const peers = [{ cpuMs: 1 }, { cpuMs: 10 }, { cpuMs: 6 }];

    expect(medianRatio(ours, peers, 'cpuMs')).toBe(2);
  });

  it.each([
    [[5, 1, 3], 3],
    [[4, 1, 3, 2], 3],
  ])('are summed up by their median: %j', (values, expected) => {
    const rounds = values.map((cpuMs) => ({ cpuMs }));

    expect(medianOf(rounds, 'cpuMs')).toBe(expected);
  });
});
