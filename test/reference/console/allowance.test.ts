import { describe, expect, it } from '@jest/globals';
import { allowanceOf, allowanceState, timeUntil } from '../../../reference/console/allowance.ts';

const headersOf = (limit: number, remaining: number) =>
  new Headers({
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': '1790000040',
  });

describe('allowance of a key', () => {
  it('is what the headers say', () => {
    expect(allowanceOf(headersOf(60, 59))).toEqual({
      limit: 60,
      remaining: 59,
      reset: 1_790_000_040,
    });
  });

  it('is unknown where no key was recognised', () => {
    expect(allowanceOf(headersOf(0, 0))).toBeUndefined();
  });

  it.each([
    [60, 'ample'],
    [13, 'ample'],
    [12, 'low'],
    [1, 'low'],
    [0, 'spent'],
  ])('with %i of 60 requests left is %s', (remaining, state) => {
    expect(allowanceState({ limit: 60, remaining, reset: 0 })).toBe(state);
  });

  it.each([
    [0, 'now'],
    [22.1, 'in 23 s'],
    [300, 'in 5 min'],
    [40_000, 'in 12 h'],
  ])('resets in %d seconds: %s', (seconds, text) => {
    expect(timeUntil(seconds)).toBe(text);
  });
});
