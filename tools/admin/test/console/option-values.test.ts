import { describe, expect, it } from '@jest/globals';
import { durationOption, wholeNumber } from '../../console/option-values.ts';

const durationOf = (text: string) =>
  durationOption('--grace <time>', '').parseArg!(text, undefined);

describe('a duration', () => {
  it.each([
    ['0s', 0],
    ['30s', 30],
    ['15m', 900],
    ['24h', 86_400],
    ['36500d', 3_153_600_000],
  ])('%s is %i seconds', (text, seconds) => {
    expect(durationOf(text)).toBe(seconds);
  });

  it.each(['', '30', '-1s', '1.5h', '1w', '24H', '36501d'])('is not %j', (text) => {
    expect(() => durationOf(text)).toThrow('Expected a duration such as');
  });
});

it.each(['', '0', '-1', '1.5', '1e3', '1'.repeat(13)])('%j is no whole number', (text) => {
  expect(() => wholeNumber(text)).toThrow('Expected a whole number from 1.');
});
