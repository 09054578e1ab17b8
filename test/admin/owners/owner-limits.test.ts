import { describe, expect, it } from '@jest/globals';
import { limitsFor, planNamed } from '../../../admin/owners/owner-limits.ts';
import { plans } from '../../../lib/settings/plans.ts';

describe('planNamed', () => {
  it('names the plans there are when it is none of them', () => {
    expect(() => planNamed('gold')).toThrow(
      'plan: "gold" is not accepted; expected one of free, pro, business, enterprise',
    );
  });
});

describe('limitsFor', () => {
  it.each(['free', 'pro', 'business'] as const)("gives a key the %s plan's own limits", (plan) => {
    const { perMinute, perDay } = plans[plan];

    expect(limitsFor(plan, {})).toEqual({ perMinute, perDay });
  });

  it('gives an enterprise key the limits that were agreed', () => {
    expect(limitsFor('enterprise', { perMinute: 5_000, perDay: 2_000_000 })).toEqual({
      perMinute: 5_000,
      perDay: 2_000_000,
    });
  });

  it.each([
    [{}, 'perMinute: missing'],
    [{ perMinute: 10 }, 'perDay: missing'],
  ])('demands both limits of an enterprise key: %j', (asked, message) => {
    expect(() => limitsFor('enterprise', asked)).toThrow(message);
  });

  it('lets a key have less than its plan', () => {
    expect(limitsFor('free', { perMinute: 5 })).toEqual({ perMinute: 5, perDay: 1_000 });
  });

  it.each([
    ['free', { perMinute: 61 }, 'a whole number from 1 to 60, the most that the free plan allows'],
    ['free', { perDay: 0 }, 'a whole number from 1 to 1000'],
    ['enterprise', { perMinute: 60_001, perDay: 1 }, 'a whole number from 1 to 60000'],
    ['pro', { perMinute: 1.5 }, 'a whole number'],
  ] as const)(
    'refuses limits that the usage plan would cut off: %s %j',
    (plan, asked, expected) => {
      expect(() => limitsFor(plan, asked)).toThrow(expected);
    },
  );
});
