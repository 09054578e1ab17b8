import { describe, expect, it } from '@jest/globals';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { keyPrefix, otherKeyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { containsKey, printable } from '../printable.ts';

const trial = stageSettings('try-ana').apiKeyPrefix;

describe('printable', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
    ['\u009b2J', '\\u009b2J'],
    ['over\rwritten\b', 'over\\u000dwritten\\u0008'],
    ['delete\u007f', 'delete\\u007f'],
    ['abc\u202ecba', 'abc\\u202ecba'],
    ['line\u2028line', 'line\\u2028line'],
  ])('escapes characters that can control a terminal: %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it.each(['two\nlines', 'Ço', '日本語', '👩🏽‍💻', '…'])('leaves %j as it is', (text) => {
    expect(printable(text)).toBe(text);
  });

  it.each([
    [`${otherKeyPrefix}${'a'.repeat(46)}`, `${otherKeyPrefix}…`],
    [`"${keyPrefix}${'a'.repeat(22)}"`, `"${keyPrefix}…"`],
    [`x${keyPrefix}${'a'.repeat(46)} ${trial}${'b'.repeat(46)}`, `x${keyPrefix}… ${trial}…`],
  ])('shows only the prefix of a token: %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it.each([
    'so_eu_20261120',
    'so_cal_pets',
    `${keyPrefix}${'a'.repeat(21)}`,
    `so_eu_${'1'.repeat(40)}`,
  ])('leaves what is no key of a stage, or too little of one: %j', (text) => {
    expect([printable(text), containsKey(text)]).toEqual([text, false]);
  });

  it('shows the newly issued token, and no other', () => {
    const [issued, other] = [`${keyPrefix}${'a'.repeat(46)}`, `${keyPrefix}${'b'.repeat(46)}`];

    expect(printable(`${issued} ${other} ${issued}x`, issued)).toBe(
      `${issued} ${keyPrefix}… ${keyPrefix}…`,
    );
  });
});
