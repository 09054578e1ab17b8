import { describe, expect, it } from '@jest/globals';
import { rateLimitFieldDifferences } from '../../../smoke/stage/rate-limit-fields.ts';

const now = 1_795_000_030;
const agreeing = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '41',
  'x-ratelimit-reset': String(now + 30),
  'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
  ratelimit: '"minute";r=41;t=30, "day";r=970;t=40000',
};

function differences(headers: Record<string, string | undefined>): string[] {
  const given = Object.entries({ ...agreeing, ...headers }).filter(([, value]) => value);
  return rateLimitFieldDifferences(
    { headers: new Map(given.map(([name, value]) => [name, [value!]])) },
    now,
  );
}

describe('rateLimitFieldDifferences', () => {
  it.each([
    ['the minute', {}],
    [
      'the day',
      {
        'x-ratelimit-limit': '1000',
        'x-ratelimit-remaining': '970',
        'x-ratelimit-reset': String(now + 40_000),
      },
    ],
    ['the minute, a second later', { 'x-ratelimit-reset': String(now + 31) }],
    [
      'no allowance',
      {
        'x-ratelimit-limit': '0',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': '0',
        'ratelimit-policy': '"minute";q=0;w=60, "day";q=0;w=86400',
        ratelimit: '"minute";r=0;t=0, "day";r=0;t=0',
      },
    ],
  ])('finds nothing where both describe %s', (_name, headers) => {
    expect(differences(headers)).toEqual([]);
  });

  it.each([
    ['another quota', { 'ratelimit-policy': '"minute";q=61;w=60, "day";q=1000;w=86400' }],
    ['another remaining', { ratelimit: '"minute";r=40;t=30, "day";r=970;t=40000' }],
    ['another reset', { ratelimit: '"minute";r=41;t=10, "day";r=970;t=40000' }],
    ['numbers of both windows', { 'x-ratelimit-limit': '1000' }],
    ['another syntax', { ratelimit: 'minute;r=41;t=30, day;r=970;t=40000' }],
    ['no policy', { 'ratelimit-policy': undefined }],
    ['no limit', { ratelimit: undefined }],
    ['a reset of nothing', { 'x-ratelimit-reset': '0' }],
  ])('finds %s', (_name, headers) => {
    expect(differences(headers)).toHaveLength(1);
  });
});
