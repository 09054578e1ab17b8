import { describe, expect, it } from '@jest/globals';
import { orderToJson } from '../../../lambdas/domain/order-json.ts';
import type { OrderItem } from '../../helpers/dynamodb/orders.ts';

describe('orderToJson', () => {
  it('I1: leaves out the fields that an order lacks', () => {
    expect(orderToJson({ id: { N: '1' }, complete: { BOOL: true } })).toBe(
      '{"id":1,"complete":true}',
    );
    expect(orderToJson({})).toBe('{}');
  });

  it.each<[string, OrderItem]>([
    ['a fraction', { quantity: { N: '1.5' } }],
    ['a tiny fraction', { quantity: { N: '-1e-30' } }],
    ['a number that is not valid JSON', { quantity: { N: '007' } }],
    ['a text that is no number', { quantity: { N: 'NaN' } }],
    ['an integer beyond int64', { quantity: { N: '9223372036854775808' } }],
    ['an exponent', { quantity: { N: '1E+2' } }],
    ['a date that is a number', { shipDate: { N: '1795000000' } }],
    ['an unknown type', { complete: { X: 1 } as never }],
  ])("I1: leaves out a value that is not of its field's type: %s", (_, attribute) => {
    expect(orderToJson({ id: { N: '1' }, ...attribute })).toBe('{"id":1}');
  });

  it.each(['1.5', '9223372036854775808', '-9223372036854775809', '1E+30'])(
    'refuses the id %s, which no order can have',
    (id) => {
      expect(() => orderToJson({ id: { N: id } })).toThrow(`not an int64: {"N":"${id}"}`);
    },
  );
});
