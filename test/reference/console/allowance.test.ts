import { describe, expect, it } from '@jest/globals';
import { allowanceOf, timeUntil, windowState } from '../../../reference/console/allowance.ts';

const nowMs = 1_790_000_006_000;

const headersOf = (policy: string, left: string) =>
  new Headers({ 'RateLimit-Policy': policy, RateLimit: left });

describe('allowance of a key', () => {
  it('is what the headers say of each window', () => {
    const headers = headersOf(
      '"minute";q=60;w=60, "day";q=1000;w=86400',
      '"minute";r=59;t=34, "day";r=999;t=40000',
    );

    expect(allowanceOf(headers, nowMs)).toEqual([
      { name: 'minute', limit: 60, remaining: 59, reset: 1_790_000_040 },
      { name: 'day', limit: 1_000, remaining: 999, reset: 1_790_040_006 },
    ]);
  });

  it.each([
    [
      'no key was recognised',
      headersOf('"minute";q=0;w=60, "day";q=0;w=86400', '"minute";r=0;t=0'),
    ],
    ['no limits are stated', new Headers()],
  ])('is unknown where %s', (_, headers) => {
    expect(allowanceOf(headers, nowMs)).toBeUndefined();
  });

  it.each([
    [60, 'ample'],
    [13, 'ample'],
    [12, 'low'],
    [1, 'low'],
    [0, 'spent'],
  ])('with %i of 60 requests left is %s', (remaining, state) => {
    expect(windowState({ name: 'minute', limit: 60, remaining, reset: 0 })).toBe(state);
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
