import { describe, expect, it } from '@jest/globals';
import { orderToJson } from '../../../lambdas/list-orders/order-json.ts';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';
import { orderItem } from '../../helpers/orders.ts';

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

  it.each(['1.5', '1E+2', '-1e-30', '12345678901234567890123456789012345678'])(
    'passes the number %s on as it is, since JSON has it too',
    (quantity) => {
      expect(orderToJson({ quantity: { N: quantity } })).toBe(`{"quantity":${quantity}}`);
    },
  );

  it.each(['+1', '.5', '1.', '007', '0x10', 'NaN', '', ' 1'])(
    'does not pass "%s" on as a number',
    (quantity) => {
      expect(() => orderToJson({ quantity: { N: quantity } })).toThrow(TypeError);
    },
  );

  it('escapes a string', () => {
    const shipDate = 'a "quote", a \\ and a \n, \u2028, 🐕, \ud800';

    expect(JSON.parse(orderToJson({ shipDate: { S: shipDate } }))).toEqual({ shipDate });
  });

  it('renders every type that DynamoDB has', () => {
    const shipDate = {
      M: {
        'a "name"': { L: [{ NULL: true }, { N: '1' }, { SS: ['x', 'y'] }, { NS: ['1', '2'] }] },
        bytes: { B: Buffer.from('ab') },
        lists: { BS: [Buffer.from('c')] },
      },
    };

    expect(JSON.parse(orderToJson({ shipDate } as never))).toEqual({
      shipDate: { 'a "name"': [null, 1, ['x', 'y'], [1, 2]], bytes: 'YWI=', lists: ['Yw=='] },
    });
  });

  it('refuses a type that it does not know', () => {
    expect(() => orderToJson({ shipDate: { X: 1 } as never })).toThrow('unknown type: X');
  });
});
