import { describe, expect, it } from '@jest/globals';
import { type OrderFieldName, orderFields } from '../../../lambdas/shared/order-fields.ts';
import {
  columnTitle,
  indentJson,
  parseShownOrder,
  shownValue,
} from '../../../reference/browser/shown-order.ts';

describe('an order as the page shows it', () => {
  it.each([
    ['id', 'Id'],
    ['petId', 'Pet id'],
    ['shipDate', 'Ship date'],
  ])('has %s in a column called %s', (name, title) => {
    expect(columnTitle(name)).toBe(title);
  });

  it('has its values as people read them, and an empty cell for what it lacks', () => {
    const order = parseShownOrder(
      '{"id":9007199254740993,"shipDate":"2026-11-20T09:30:00Z","complete":false}',
    );

    const cell = (name: OrderFieldName) => shownValue(order[name], orderFields[name]);

    expect(cell('id')).toBe('9007199254740993');
    expect(cell('petId')).toBe('');
    expect(cell('shipDate')).toBe('2026-11-20 09:30:00 UTC');
    expect(cell('complete')).toBe('no');
  });

  it('shows every digit of an id', () => {
    expect(parseShownOrder('{"id":9223372036854775807,"petId":-1,"quantity":2}')).toEqual({
      id: '9223372036854775807',
      petId: '-1',
      quantity: 2,
    });
  });

  it('indents JSON without rounding an id, and leaves texts that look like one alone', () => {
    const text = '[{"id":9007199254740993,"shipDate":"\\"id\\":5"}]';

    expect(indentJson(text)).toBe(
      '[\n  {\n    "id": 9007199254740993,\n    "shipDate": "\\"id\\":5"\n  }\n]',
    );
  });

  it('leaves text that is no JSON as it is', () => {
    expect(indentJson('not JSON')).toBe('not JSON');
  });
});
