import { describe, expect, it } from '@jest/globals';
import { parseDuration } from '../../../admin/console/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0s', 0],
    ['30s', 30],
    ['15m', 900],
    ['24h', 86_400],
    ['90d', 7_776_000],
    ['36500d', 3_153_600_000],
  ])('reads %s as %i seconds', (text, seconds) => {
    expect(parseDuration('--grace', text)).toBe(seconds);
  });

  it.each(['', '30', 's', '-1s', '1.5h', '1w', '24 h', '24H', '36501d', '99999999999s'])(
    'refuses %p, naming the option and what it expects',
    (text) => {
      expect(() => parseDuration('--grace', text)).toThrow(
        `--grace: ${JSON.stringify(text)} is not accepted; expected a duration such as 30s, 15m, 24h or 90d`,
      );
    },
  );
});
