import { expect, it } from '@jest/globals';
import { captureLinesOfTests } from '../../../../test/helpers/captured-lines.ts';
import { lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { cancelEvent, lambdaContext } from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { ordersOfEachTest } from './orders-of-each-test.ts';

const { orders, proxy, put, stored, tableName } = await ordersOfEachTest();
const variables = { ORDERS_TABLE: tableName, AWS_ENDPOINT_URL_DYNAMODB: proxy.url };
Object.assign(process.env, functionEnvironment, variables);
const { handler } = (await import('../../../../lambdas/cancel-order.ts')) as unknown as {
  handler: (event: object, context: object) => Promise<{ statusCode: number }>;
};
captureLinesOfTests();

/** Changes the order, as a client or an operator does. Returns whether the change is reported as done. */
async function isDone(change: string): Promise<boolean> {
  if (change !== 'cancelOrder') return / is (?!already)/.test((await orders([change, '7'])).stdout);
  return (await handler(cancelEvent('7'), lambdaContext())).statusCode === 204;
}

// The exception in docs/threat-model.md is left out: another client has cancelled the order, which was then reopened.
it.each([
  '',
  'reopen',
  'reopen, ship',
  'reopen, cancel',
  'reopen, cancel, reopen',
  'reopen, cancelOrder',
])(
  'R13: a cancellation by a client whose response is lost takes effect once, also if it is repeated after: %s',
  async (changes) => {
    const meanwhile = changes.split(', ').filter(Boolean);
    await put({ id: { N: '7' }, status: { S: 'pending' } });
    let before: object | undefined;
    proxy.next.push(async (call) => {
      expect(await call.execute()).toMatchObject({ status: 200 });
      for (const change of meanwhile) expect(await isDone(change)).toBe(true);
      before = await stored();
      lost(call);
    });

    const told = await isDone('cancelOrder');

    expect(before).toBeDefined();
    expect(await stored()).toEqual(before);
    // The SDK in the function repeats the write. The order remembers only the last cancellation by a client.
    expect(told).toBe(!meanwhile.includes('cancelOrder'));
  },
);
