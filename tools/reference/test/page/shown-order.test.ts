import { describe, expect, it } from '@jest/globals';
import { type OrderFieldName, orderFields } from '../../../../lambdas/shared/order-fields.ts';
import { columnTitle, parseOrders, shownValue } from '../../page/shown-order.ts';

describe('an order as the page shows it', () => {
  it.each([
    ['id', 'Id'],
    ['shipDate', 'Ship date'],
  ])('has %s in a column called %s', (name, title) => {
    expect(columnTitle(name)).toBe(title);
  });

  it('has its values as people read them, and an empty cell for what it lacks', () => {
    const [order] = parseOrders('[{"id":1,"shipDate":"2026-11-20T09:30:00Z","complete":false}]');

    const cell = (name: OrderFieldName) => shownValue(order![name], orderFields[name]);

    expect(cell('petId')).toBe('');
    expect(cell('shipDate')).toBe('2026-11-20 09:30:00 UTC');
    expect(cell('complete')).toBe('no');
  });

  it('shows every digit of an id, and leaves texts that look like one alone', () => {
    const text = '[{"id":9223372036854775807,"petId" : -1,"quantity":2,"shipDate":"\\"id\\":5"}]';

    expect(parseOrders(text)).toEqual([
      { id: '9223372036854775807', petId: '-1', quantity: 2, shipDate: '"id":5' },
    ]);
  });

  it('is not taken from a list that is cut off', () => {
    expect(() => parseOrders('[{"id":1},')).toThrow(SyntaxError);
  });
});
