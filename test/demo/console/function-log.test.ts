import { describe, expect, it } from '@jest/globals';
import { listedOrders, shownLine } from '../../../demo/console/function-log.ts';

const name = 'StoreOrders-staging-ListOrdersFunction45FE0E53-X83XFQB8K548';

describe('of what a function logs, a person', () => {
  it.each([
    ['what it printed itself', 'here \u001b[2J', 'ListOrders: here \\u001b[2J'],
    [
      'an error, with its reason',
      '{"level":"ERROR","message":"internal_error","error":{"name":"TypeError","message":"no"}}',
      'ListOrders: internal_error: TypeError: no',
    ],
    ['a warning', '{"level":"WARN","message":"slow"}', 'ListOrders: slow'],
    [
      'why it could not start',
      'Init Error {"errorType":"Error","errorMessage":"at load","trace":["Error"]}',
      'ListOrders: Init Error: Error: at load',
    ],
  ])('sees %s', (_, line, shown) => {
    expect(shownLine(name, line)).toBe(shown);
  });

  it('does not see its metrics', () => {
    expect(shownLine(name, '{"_aws":{},"level":"INFO","OrdersListed":3}')).toBeUndefined();
  });
});

describe('the orders of a list', () => {
  it('are found in the metrics, with the answer that they were in', () => {
    const line = '{"OrdersListed":1000,"extendedRequestId":"abc="}';

    expect(listedOrders(line)).toEqual({ answerId: 'abc=', orders: 1000 });
  });

  it.each(['text "OrdersListed"', '{"OrdersListed":', '{"OrdersListed":"1"}'])(
    'are not found in %s',
    (line) => {
      expect(listedOrders(line)).toBeUndefined();
    },
  );
});
