import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, expect, it, jest } from '@jest/globals';
import { captureLinesOfTests } from '../../../../test/helpers/captured-lines.ts';
import { DynamodbProxy, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { cancelEvent, lambdaContext } from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { type Change, changeOrder } from '../../orders/change-orders.ts';

const database = await startDynamoDb();
const proxy = await DynamodbProxy.before(database.endpoint);
const tableName = await database.createOrdersTable();
Object.assign(process.env, functionEnvironment, {
  ORDERS_TABLE: tableName,
  AWS_ENDPOINT_URL_DYNAMODB: proxy.url,
});
const { handler } = (await import('../../../../lambdas/cancel-order.ts')) as unknown as {
  handler: (event: object, context: object) => Promise<{ statusCode: number }>;
};
const stage = {
  orders: { dynamodb: database.dynamodb, tableName },
  operator: 'ann',
  now: Date.now,
};
const orderId = '7';
const Key = { id: { N: orderId } };
const readOrder = async () =>
  (await database.dynamodb.send(new GetItemCommand({ TableName: tableName, Key }))).Item;

captureLinesOfTests();
beforeEach(() => {
  // The SDK's delay before it repeats a call is random, up to a limit.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await database.stop();
});

/** Changes the order, as a client or an operator does. Returns whether the change is reported as done. */
async function isDone(change: Change | 'cancelOrder'): Promise<boolean> {
  if (change !== 'cancelOrder') return !(await changeOrder(Key, change, { stage: stage as never }));
  return (await handler(cancelEvent(orderId), lambdaContext())).statusCode === 204;
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
    const meanwhile = changes.split(', ').filter(Boolean) as Parameters<typeof isDone>[0][];
    const Item = { ...Key, status: { S: 'pending' } };
    await database.dynamodb.send(new PutItemCommand({ TableName: tableName, Item }));
    let before: object | undefined;
    proxy.next.push(async (call) => {
      expect(await call.execute()).toMatchObject({ status: 200 });
      for (const change of meanwhile) expect(await isDone(change)).toBe(true);
      before = await readOrder();
      lost(call);
    });

    const told = await isDone('cancelOrder');

    expect(before).toBeDefined();
    expect(await readOrder()).toEqual(before);
    // The SDK in the function repeats the write. The order remembers only the last cancellation by a client.
    expect(told).toBe(!meanwhile.includes('cancelOrder'));
  },
);
