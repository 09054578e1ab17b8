import { describe, expect, it } from '@jest/globals';
import { allowanceOf } from '../../page/allowance.ts';

const headersOf = (policy: string, left: string) =>
  new Headers({ 'RateLimit-Policy': policy, RateLimit: left });

describe('allowance of a key', () => {
  it('is what the headers say of each window', () => {
    const headers = headersOf(
      '"minute";q=60;w=60, "day";q=1000;w=86400',
      '"minute";r=59;t=34, "day";r=999;t=40000',
    );

    expect(allowanceOf(headers)).toEqual([
      { name: 'minute', limit: 60, remaining: 59, seconds: 34 },
      { name: 'day', limit: 1_000, remaining: 999, seconds: 40_000 },
    ]);
  });

  it.each([
    [
      'no key was recognised',
      headersOf('"minute";q=0;w=60, "day";q=0;w=86400', '"minute";r=0;t=0'),
    ],
    ['no limits are stated', new Headers()],
  ])('is unknown where %s', (_, headers) => {
    expect(allowanceOf(headers)).toBeUndefined();
  });
});
