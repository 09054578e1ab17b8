import { describe, expect, it } from '@jest/globals';
import { sampleOrders } from '../../demo/sample-orders.ts';
import { orderFieldNames } from '../../lambdas/shared/order-fields.ts';
import { isInt64 } from '../../lambdas/shared/order-id.ts';

describe('sample orders', () => {
  const orders = sampleOrders();
  const ids = orders.map(({ id }) => String(id));

  it('are a thousand, each with an id of its own', () => {
    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every(isInt64)).toBe(true);
  });

  it('have ids that a JavaScript number would round, up to the largest', () => {
    const rounded = ids.filter((id) => String(Number(id)) !== id);

    expect(rounded).toContain('9223372036854775807');
    expect(rounded.length).toBeGreaterThan(2);
  });

  it('are pending and shipped; the ones that shipped are complete', () => {
    const pending = orders.filter(({ status }) => status === 'pending');

    expect(pending.length).toBeGreaterThan(500);
    expect(orders.length - pending.length).toBeGreaterThan(300);
    for (const { status, complete } of orders) expect(complete).toBe(status === 'shipped');
  });

  it('have every field that is published', () => {
    for (const order of orders) expect(Object.keys(order)).toEqual([...orderFieldNames, 'status']);
  });

  it('are the same each time', () => {
    expect(sampleOrders()).toEqual(orders);
  });
});
