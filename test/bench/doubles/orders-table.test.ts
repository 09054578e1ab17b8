import { describe, expect, it } from '@jest/globals';
import { ordersTableName, parseOrdersTableName } from '../../../bench/doubles/orders-table.ts';

describe('the name of a canned table of orders', () => {
  it.each([
    { orders: 50, ordersPerPage: 8_500, delayMs: 0, isUnsegmented: false },
    { orders: 1_000_000, ordersPerPage: 100, delayMs: 40, isUnsegmented: true },
  ])('says all that there is to know of %j', (table) => {
    expect(parseOrdersTableName(ordersTableName(table))).toEqual(table);
  });

  it('is one that DynamoDB would accept', () => {
    const name = ordersTableName({ orders: 10_000_000, delayMs: 40, isUnsegmented: true });

    expect(name).toMatch(/^[A-Za-z0-9_.-]{3,255}$/);
  });

  it('is told apart from any other name', () => {
    expect(parseOrdersTableName('api-keys')).toBeUndefined();
  });
});
