import { describe, expect, it } from '@jest/globals';
import { orderToJson } from '../../../lambdas/shared/order-json.ts';
import type { OrderItem } from '../../helpers/dynamodb/orders.ts';

describe('orderToJson', () => {
  it('I1: leaves out what an order lacks', () => {
    expect(orderToJson({ id: { N: '1' }, complete: { BOOL: true } })).toBe(
      '{"id":1,"complete":true}',
    );
    expect(orderToJson({})).toBe('{}');
  });

  it.each(['1E+2', '1E2', '1e+12', '12345678901234567890123456789012345678'])(
    'passes the integer %s on as it is, since JSON has it too',
    (quantity) => {
      expect(orderToJson({ quantity: { N: quantity } })).toBe(`{"quantity":${quantity}}`);
    },
  );

  it.each<[string, OrderItem]>([
    ['a fraction', { quantity: { N: '1.5' } }],
    ['a tiny fraction', { quantity: { N: '-1e-30' } }],
    ['a number as JSON does not have it', { quantity: { N: '007' } }],
    ['no number at all', { quantity: { N: 'NaN' } }],
    ['an integer beyond int64', { petId: { N: '9223372036854775808' } }],
    ['a date that is a number', { shipDate: { N: '1795000000' } }],
    ['a type that nobody knows', { complete: { X: 1 } as never }],
  ])("I1: leaves out what is not of its field's type: %s", (_, attribute) => {
    expect(orderToJson({ id: { N: '1' }, ...attribute })).toBe('{"id":1}');
  });

  it.each(['1.5', '9223372036854775808', '-9223372036854775809', '1E+30'])(
    'refuses the id %s, which no order can have',
    (id) => {
      expect(() => orderToJson({ id: { N: id } })).toThrow(`no int64: {"N":"${id}"}`);
    },
  );
});
