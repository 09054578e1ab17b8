import { describe, expect, it } from '@jest/globals';
import {
  rateLimit,
  rateLimitHeaders,
  rateLimitPolicy,
} from '../../../lambdas/shared/rate-limit-fields.ts';

const reset = 1_795_000_080;
const allowances = {
  minute: { limit: 60, remaining: 59, reset },
  day: { limit: 1_000, remaining: 999, reset: reset + 40_000 },
};

describe('rateLimitPolicy', () => {
  it('names both windows, with their quotas and their lengths in seconds', () => {
    expect(rateLimitPolicy(allowances)).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
  });
});

describe('rateLimit', () => {
  it.each([
    ['a whole second', 34_000, 34],
    ['a little more, rounded up', 33_001, 34],
    ['a moment', 1, 1],
    ['nothing', 0, 0],
    ['less than nothing, on a clock that is ahead', -5_000, 0],
  ])('says what is left of both, until the reset in %s', (_name, leftMs, seconds) => {
    const fields = rateLimit(allowances, reset * 1_000 - leftMs);

    expect(fields).toBe(
      `"minute";r=59;t=${seconds}, "day";r=999;t=${40_000 + Math.ceil(leftMs / 1_000)}`,
    );
  });
});

describe('rateLimitHeaders', () => {
  it('state no allowance where no key was recognised', () => {
    const withoutKey = Object.entries(rateLimitHeaders).map(([name, header]) => [
      name,
      header.withoutKey,
    ]);

    expect(Object.fromEntries(withoutKey)).toEqual({
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'RateLimit-Policy': '"minute";q=0;w=60, "day";q=0;w=86400',
      RateLimit: '"minute";r=0;t=0, "day";r=0;t=0',
    });
  });
});
