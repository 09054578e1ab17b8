import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { fileFields, orderFromFields } from '../../../admin/orders/order-record.ts';
import { orderFieldNames } from '../../../lambdas/shared/order-fields.ts';

const number = (digits: string) => NumberValue.from(digits);

describe('orderFromFields', () => {
  it('keeps integers as the digits that they are', () => {
    const order = orderFromFields({
      id: number('9223372036854775807'),
      petId: number('-9223372036854775808'),
      quantity: number('2'),
      shipDate: '2026-11-20T09:30:00Z',
      complete: false,
      status: 'shipped',
    });

    expect(order).toEqual({
      id: number('9223372036854775807'),
      petId: number('-9223372036854775808'),
      quantity: number('2'),
      shipDate: '2026-11-20T09:30:00Z',
      complete: false,
      status: 'shipped',
    });
  });

  it('takes an order without a status as pending, and leaves out what it lacks', () => {
    const id = number('1');

    expect(orderFromFields({ id })).toEqual({ id, status: 'pending' });
  });

  it('demands an id', () => {
    expect(() => orderFromFields({ petId: number('1') })).toThrow(
      'id: missing; expected an integer',
    );
  });

  it('refuses a field that an order does not have', () => {
    expect(() => orderFromFields({ id: number('1'), ship_date: 'x' })).toThrow(
      '"ship_date": an order has no such field; expected only id, petId, quantity',
    );
    expect(() => orderFromFields(JSON.parse('{"__proto__":{"id":1}}'))).toThrow('"__proto__"');
  });

  it.each([
    ['id', '7', 'id: "7" is not accepted; expected an integer from -9223372036854775808'],
    ['id', null, 'id: null is not accepted'],
    ['id', number('9223372036854775808'), 'id: 9223372036854775808 is not accepted'],
    ['petId', number('1.0'), 'petId: 1.0 is not accepted'],
    ['petId', number('1e3'), 'petId: 1e3 is not accepted'],
    ['quantity', true, 'quantity: true is not accepted'],
    ['quantity', number('-0'), 'quantity: -0 is not accepted'],
    ['complete', 'yes', 'complete: "yes" is not accepted; expected true or false'],
    ['complete', number('1'), 'complete: 1 is not accepted'],
    [
      'status',
      'lost',
      'status: "lost" is not accepted; expected "pending", "shipped", "cancelled" or none',
    ],
    ['status', null, 'status: null is not accepted'],
    ['shipDate', ['2026-11-20T09:30:00Z'], 'shipDate: an array is not accepted'],
    ['shipDate', {}, 'shipDate: an object is not accepted'],
  ])('refuses %s %p, naming field, value and what was expected', (field, value, message) => {
    expect(() => orderFromFields({ id: number('1'), [field]: value })).toThrow(message);
  });

  it.each([
    '2026-11-20T09:30:00Z',
    '2026-11-20T09:30:00.123456Z',
    '2026-11-20T09:30:00+05:30',
    '2028-02-29T23:59:59-12:00',
  ])('accepts the ship date %s', (shipDate) => {
    expect(orderFromFields({ id: number('1'), shipDate }).shipDate).toBe(shipDate);
  });

  it.each([
    '2026-11-20',
    '2026-11-20T09:30:00',
    '2026-11-20 09:30:00Z',
    '2026-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-11-20T24:00:00Z',
    '2026-11-20T09:60:00Z',
    '2026-11-20T09:30:00Z\n',
    '20.11.2026',
    '',
  ])('refuses the ship date %p', (shipDate) => {
    expect(() => orderFromFields({ id: number('1'), shipDate })).toThrow(
      'expected an ISO 8601 date-time such as "2026-11-20T09:30:00Z"',
    );
  });
});

describe('the fields of an orders file', () => {
  it('are those that are published, in their order, and the status', () => {
    expect(fileFields).toEqual([...orderFieldNames, 'status']);
  });
});
