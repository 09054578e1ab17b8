import { describe, expect, it } from '@jest/globals';
import { agreedLimits, limitsFor, presentLimits } from '../../../admin/owners/owner-limits.ts';
import { plans } from '../../../lib/settings/plans.ts';

const { free, enterprise } = plans;

describe('limitsFor', () => {
  it.each(['free', 'pro', 'business'] as const)(
    "gives an owner the %s plan's own limits",
    (plan) => {
      const { perMinute, perDay } = plans[plan];

      expect(limitsFor(plan, {})).toEqual({ perMinute, perDay });
    },
  );

  it('gives an enterprise owner the limits that were agreed', () => {
    expect(limitsFor('enterprise', { perMinute: 5_000, perDay: 2_000_000 })).toEqual({
      perMinute: 5_000,
      perDay: 2_000_000,
    });
  });

  it.each([
    [{}, '--per-minute: missing'],
    [{ perMinute: 10 }, '--per-day: missing'],
  ])('demands both limits of an enterprise owner: %j', (asked, message) => {
    expect(() => limitsFor('enterprise', asked)).toThrow(message);
  });

  it('lets an owner have less than its plan', () => {
    expect(limitsFor('free', { perMinute: 5 })).toEqual({ perMinute: 5, perDay: free.perDay });
  });

  it.each([
    [
      'free',
      { perMinute: free.perMinute + 1 },
      `a whole number from 1 to ${free.perMinute}, the most that the free plan allows`,
    ],
    ['free', { perDay: 0 }, `a whole number from 1 to ${free.perDay}`],
    [
      'enterprise',
      { perMinute: enterprise.perMinute + 1, perDay: 1 },
      `a whole number from 1 to ${enterprise.perMinute}`,
    ],
    ['pro', { perMinute: 1.5 }, 'a whole number'],
  ] as const)(
    'refuses limits that the usage plan would cut off: %s %j',
    (plan, asked, expected) => {
      expect(() => limitsFor(plan, asked)).toThrow(expected);
    },
  );
});

describe('presentLimits', () => {
  const { perMinute, perDay } = plans.pro;
  const current = { perMinute: 1, perDay: 2 };

  it.each([
    ['the numbers of the plan', { plan: 'pro' }, { perMinute, perDay }],
    ['what was agreed', { plan: 'pro', perMinute: 7 }, { perMinute: 7, perDay }],
    ['never more than the plan', { plan: 'pro', perDay: perDay + 1 }, { perMinute, perDay }],
    [
      'what was agreed on a plan without numbers',
      { plan: 'enterprise', perMinute: 7, perDay: 8 },
      { perMinute: 7, perDay: 8 },
    ],
    ['what it has where nothing is known to be agreed', { plan: 'enterprise' }, current],
  ] as const)('are %s', (_, agreed, expected) => {
    expect(presentLimits(agreed, current)).toEqual(expected);
  });
});

describe('agreedLimits', () => {
  it("are those asked for, and not those that are simply the plan's", () => {
    expect(agreedLimits('free', { perMinute: 5 })).toEqual({ plan: 'free', perMinute: 5 });
    expect(agreedLimits('free', { perMinute: undefined })).toEqual({ plan: 'free' });
  });
});
