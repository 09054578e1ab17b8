import { describe, expect, it } from '@jest/globals';
import { sinceTime, timeAhead, untilTime, wholeNumber } from '../../console/option-values.ts';

describe('a time as a duration', () => {
  it.each([
    ['0s', 0],
    ['15m', 900],
    ['24h', 86_400],
    ['999999d', 86_399_913_600],
  ])('%s is %i seconds ahead or ago', (text, seconds) => {
    expect([timeAhead(text)(7), sinceTime(text)(7)]).toEqual([
      7 + seconds * 1_000,
      7 - seconds * 1_000,
    ]);
  });

  it('can be a date-time', () => {
    const text = '2026-11-20T09:30:00+01:00';

    for (const read of [timeAhead, sinceTime, untilTime]) {
      expect(read(text)(7)).toBe(Date.parse('2026-11-20T08:30:00Z'));
    }
  });

  it('can be a date: the end of the day in UTC, or for --since its beginning', () => {
    const times = [timeAhead, sinceTime, untilTime].map((read) => read('2026-11-20')(7));

    expect(times.map((ms) => new Date(ms).toISOString())).toEqual([
      '2026-11-20T23:59:59.999Z',
      '2026-11-20T00:00:00.000Z',
      '2026-11-20T23:59:59.999Z',
    ]);
  });

  it.each(['', '30', '-1s', '1.5h', '1w', '24H', '1000000s', '2026-11-31', '2026-11'])(
    'is not %j',
    (text) => {
      expect(() => timeAhead(text)).toThrow('Expected a duration such as');
    },
  );
});

it.each(['', '0', '-1', '1.5', '1e3'])('%j is no whole number', (text) => {
  expect(() => wholeNumber(text)).toThrow('Expected a whole number from 1.');
});
