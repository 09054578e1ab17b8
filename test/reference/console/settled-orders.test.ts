import { describe, expect, it } from '@jest/globals';
import { SettledOrders } from '../../../reference/console/settled-orders.ts';

describe('settled orders', () => {
  it.each([
    [undefined, 'cancelled'],
    ['order_already_cancelled', 'cancelled'],
    ['order_already_shipped', 'shipped'],
  ])('are those whose cancellation was answered %s: %s', (code, outcome) => {
    const settled = new SettledOrders('run');

    settled.take('1001', code);

    expect(settled.of('1001')).toBe(outcome);
  });

  it.each(['rate_limit_exceeded', 'service_unavailable', 'timeout', 'order_not_found'])(
    'are not those whose cancellation may be tried again: %s',
    (code) => {
      const settled = new SettledOrders('run');

      settled.take('1001', code);

      expect(settled.of('1001')).toBeUndefined();
    },
  );
});
