import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { InvalidOrderIdError } from '../../../lambdas/shared/errors.ts';
import { parseOrderId } from '../../../lambdas/shared/order-id.ts';

describe('parseOrderId', () => {
  it.each([
    '0',
    '1',
    '-1',
    '9007199254740993',
    '1000000000000000000',
    '9223372036854775807',
    '-9223372036854775808',
  ])('takes %s, digit for digit', (id) => {
    expect(parseOrderId(id)).toBe(id);
  });

  it.each([
    ['one too great', '9223372036854775808'],
    ['one too small', '-9223372036854775809'],
    ['twenty digits', '10000000000000000000'],
    ['a fraction', '1.0'],
    ['a plus sign', '+1'],
    ['leading zeros', '007'],
    ['a negative leading zero', '-01'],
    ['a negative zero', '-0'],
    ['a minus alone', '-'],
    ['hexadecimal', '0x10'],
    ['an exponent', '1e3'],
    ['nothing', ''],
    ['a missing segment', undefined],
    ['a space behind', '1 '],
    ['a line break behind', '1\n'],
    ['a zero byte behind', '1\0'],
    ['an encoded slash', '1%2F2'],
    ['other digits', '١٢٣'],
    ['a word', 'constructor'],
    ['a very long number', '1'.repeat(100_000)],
    ['a very long text', 'x'.repeat(100_000)],
  ])('I7: refuses %s', (_name, segment) => {
    expect(() => parseOrderId(segment)).toThrow(InvalidOrderIdError);
  });

  it('takes every int64 in its canonical spelling', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
        expect(parseOrderId(String(id))).toBe(String(id));
      }),
    );
  });

  it('refuses every integer beyond an int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 63n, max: 2n ** 80n }), fc.boolean(), (id, isNegative) => {
        const text = isNegative ? String(-id - 1n) : String(id);

        expect(() => parseOrderId(text)).toThrow(InvalidOrderIdError);
      }),
    );
  });
});
