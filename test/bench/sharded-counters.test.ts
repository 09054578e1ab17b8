import { describe, expect, it } from '@jest/globals';
import { type HotKeyScenario, simulateHotKey } from '../../bench/sharded-counters.ts';

const hotKey: HotKeyScenario = {
  limit: 100_003,
  items: 4,
  leaseSize: 1,
  triesPerRequest: 4,
  offeredPerSecond: 2_500,
  environments: 50,
  windows: 2,
  seed: 1,
};
const windowSeconds = 60;

describe('counting one very hot key', () => {
  it('stops at what one partition can write when there is one item', () => {
    const { admitted, unavailable } = simulateHotKey({ ...hotKey, items: 1 });

    expect(admitted / hotKey.windows / windowSeconds).toBeLessThan(1_020);
    expect(unavailable).toBeGreaterThan(0);
  });

  it('admits exactly the limit when every item is asked before a refusal', () => {
    const outcome = simulateHotKey(hotKey);

    expect(outcome.admitted).toBe(hotKey.windows * hotKey.limit);
    expect(outcome.mostInOneWindow).toBe(hotKey.limit);
    expect(outcome).toMatchObject({ refusedTooEarly: 0, unavailable: 0 });
  });

  it.each([1, 2, 3])('never admits more than the limit, whatever the design: seed %d', (seed) => {
    const variants = [
      { triesPerRequest: 1 },
      { items: 16, triesPerRequest: 2 },
      { leaseSize: 40 },
      { items: 1, leaseSize: 7 },
    ];

    for (const variant of variants) {
      const { mostInOneWindow } = simulateHotKey({ ...hotKey, ...variant, seed });
      expect(mostInOneWindow).toBeLessThanOrEqual(hotKey.limit);
    }
  });

  it('asks each full item at most once per environment and window', () => {
    const { writesPerRequest, offered, admitted } = simulateHotKey(hotKey);

    const refusals = hotKey.windows * hotKey.environments * hotKey.items;
    expect(writesPerRequest * offered).toBeLessThanOrEqual(admitted + refusals);
  });

  it('loses at most one lease for each environment', () => {
    const offeredPerSecond = hotKey.limit / windowSeconds;
    const leases = { ...hotKey, offeredPerSecond, leaseSize: 40, windows: 1 };

    const { offered, admitted, writesPerRequest } = simulateHotKey(leases);

    expect(offered - admitted).toBeLessThanOrEqual(leases.environments * leases.leaseSize);
    expect(writesPerRequest).toBeLessThan(1 / 30);
  });
});
