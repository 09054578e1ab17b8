import { describe, expect, it } from '@jest/globals';
import { type OrderItem, orderToJson } from '../../../lambdas/list-orders/order-json.ts';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';
import { orderItem } from '../../helpers/dynamodb/orders.ts';

describe('orderToJson', () => {
  it('renders the fields of an order in their order, and nothing else', () => {
    const item = orderItem(1, { status: { S: 'pending' }, cancelledBy: { S: 'key_1' } });

    const order = JSON.parse(orderToJson(item));

    expect(Object.keys(order)).toEqual(orderFieldNames);
    expect(order).toMatchObject({
      id: 1,
      petId: 7,
      quantity: 2,
      shipDate: '2026-11-20T09:30:00Z',
      complete: false,
    });
  });

  it('I1: leaves out what an order lacks', () => {
    expect(orderToJson({ id: { N: '1' }, complete: { BOOL: true } })).toBe(
      '{"id":1,"complete":true}',
    );
    expect(orderToJson({})).toBe('{}');
  });

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0'])(
    'keeps the digits of %s',
    (id) => {
      expect(orderToJson({ id: { N: id } })).toBe(`{"id":${id}}`);
    },
  );

  it.each(['1E+2', '1E2', '1e+12', '12345678901234567890123456789012345678'])(
    'passes the integer %s on as it is, since JSON has it too',
    (quantity) => {
      expect(orderToJson({ quantity: { N: quantity } })).toBe(`{"quantity":${quantity}}`);
    },
  );

  it.each(['+1', '.5', '1.', '007', '0x10', 'NaN', '', ' 1'])(
    'does not pass "%s" on as a number',
    (quantity) => {
      expect(() => orderToJson({ quantity: { N: quantity } })).toThrow(
        new TypeError('An attribute is not a number.'),
      );
    },
  );

  it('escapes a string', () => {
    const shipDate = 'a "quote", a \\ and a \n, \u2028, 🐕, \ud800';

    expect(JSON.parse(orderToJson({ shipDate: { S: shipDate } }))).toEqual({ shipDate });
  });

  it.each<[string, OrderItem]>([
    ['a fraction', { quantity: { N: '1.5' } }],
    ['a fraction of several digits', { quantity: { N: '1.25' } }],
    ['a tiny fraction', { quantity: { N: '-1e-30' } }],
    ['digits in a string', { quantity: { S: '3' } }],
    ['a set of numbers', { quantity: { NS: ['1', '2'] } }],
    ['an integer beyond int64', { petId: { N: '9223372036854775808' } }],
    ['a NULL', { petId: { NULL: true } }],
    ['a date that is a number', { shipDate: { N: '1795000000' } }],
    ['a map', { shipDate: { M: { S: { S: 'x' } } } }],
    ['a list', { shipDate: { L: [{ S: 'x' }] } }],
    ['bytes', { shipDate: { B: Buffer.from('x') } }],
    ['a truth value in a string', { complete: { S: 'true' } }],
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
