import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IdSet } from '../../../lambdas/list-orders/id-set.ts';

const id = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.bigInt({ min: 0n, max: 30n }).map(String),
  fc.constantFrom('', '-1', '1', '11', '1E+20', '0.5'),
);

describe('IdSet', () => {
  it('has exactly what was added, wherever in a buffer the digits are', () => {
    fc.assert(
      fc.property(fc.array(id, { maxLength: 400 }), fc.array(id), (added, others) => {
        const set = new IdSet();
        const expected = new Set<string>();

        for (const digits of added) {
          set.add(...inBuffer(digits, 'x'));
          expected.add(digits);
        }

        expect(set.size).toBe(expected.size);
        for (const digits of [...added, ...others]) {
          expect(set.has(...inBuffer(digits, '77'))).toBe(expected.has(digits));
        }
      }),
    );
  });

  it('keeps the digits themselves: the buffer may be used for something else', () => {
    const set = new IdSet();
    const buffer = Buffer.from('123');
    set.add(buffer, 0, 3);

    buffer.write('456');

    expect(set.has(Buffer.from('123'), 0, 3)).toBe(true);
    expect(set.has(buffer, 0, 3)).toBe(false);
  });

  it('holds a page of ids that differ in one digit', () => {
    const set = new IdSet();
    const ids = Array.from({ length: 20_000 }, (_, index) => String(8_000_000_000_000_000 + index));

    for (const digits of ids) set.add(...inBuffer(digits, ''));

    expect(set.size).toBe(20_000);
    expect(ids.every((digits) => set.has(...inBuffer(digits, '')))).toBe(true);
    expect(set.has(...inBuffer('8000000000020000', ''))).toBe(false);
  });
});

function inBuffer(digits: string, around: string): [bytes: Buffer, start: number, end: number] {
  return [Buffer.from(around + digits + around), around.length, around.length + digits.length];
}
