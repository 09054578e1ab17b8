import { DeleteItemCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { OrderStatus } from '../../../../lambdas/orders/order-states.ts';
import { captureLinesOfTests } from '../../../../test/helpers/captured-lines.ts';
import { DynamodbProxy, forward, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { cancelEvent, lambdaContext } from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { changeOrder, type OrderChange, transitions } from '../../orders/change-order.ts';
import { importOrder } from '../../orders/import-command.ts';
import type { OrderItem } from '../../orders/order-record.ts';
import { findOrder } from '../../orders/stored-orders.ts';
import { withCallLimits } from '../../stage/call-limits.ts';
import { UnconfirmedError } from '../../stage/service-failure.ts';

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
const client = withCallLimits(new DynamoDBClient({ endpoint: proxy.url }));
const table = { dynamodb: client, tableName };
const orderId = '7';

captureLinesOfTests();
beforeEach(() => {
  // The SDK's delay before it repeats a call is random, up to a limit.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterAll(async () => {
  client.destroy();
  await proxy[Symbol.asyncDispose]();
  await database.stop();
});

/** A change of the order, which returns the message to its user. */
interface Change {
  readonly to: OrderStatus;
  make(): Promise<'done' | 'refused' | 'unconfirmed'>;
}

const byOperator = (verb: OrderChange['verb']): Change => ({
  to: transitions[verb].to,
  make: async () => {
    const before = await findOrder(orderId, table);
    const made = changeOrder(before, { verb, by: 'ann', nowMs: Date.now() }, table);
    return made.then(
      () => 'done',
      (error) => {
        expect(error).toBeInstanceOf(UnconfirmedError);
        return 'unconfirmed';
      },
    );
  },
});

const changes = {
  cancelOrder: {
    to: 'cancelled',
    make: async () => {
      const { statusCode } = await handler(cancelEvent(orderId), lambdaContext());
      return statusCode === 204 ? 'done' : 'refused';
    },
  },
  'orders cancel': byOperator('cancel'),
  'orders reopen': byOperator('reopen'),
  'orders ship': byOperator('ship'),
} satisfies Record<string, Change>;
type ChangeName = keyof typeof changes;

const changesFrom: Readonly<Record<OrderStatus, readonly ChangeName[]>> = {
  pending: ['cancelOrder', 'orders cancel', 'orders ship'],
  cancelled: ['orders reopen'],
  shipped: [],
};

/** All sequences of changes that can follow a change, of which each takes effect. */
function sequencesAfter(change: ChangeName, longest = 3): ChangeName[][] {
  if (longest === 0) return [[]];
  const next = changesFrom[changes[change].to].flatMap((each) =>
    sequencesAfter(each, longest - 1).map((rest) => [each, ...rest]),
  );
  return [[], ...next];
}

/** The exception in docs/threat-model.md: others have cancelled and reopened the order after the client. */
const isForgotten = (change: ChangeName, sequence: ChangeName[]) =>
  change === 'cancelOrder' && sequence.slice(1).join() === 'cancelOrder,orders reopen';

const cases = (Object.keys(changes) as ChangeName[]).flatMap((change) =>
  sequencesAfter(change)
    .filter((sequence) => !isForgotten(change, sequence))
    .map((sequence) => ({ change, sequence })),
);

/** Carries out the next write of this kind, and then `meanwhile`. After that, loses the write's response. */
function loseNext(write: string, meanwhile: () => Promise<void>): void {
  proxy.reply = async (call) => {
    if (call.operation !== write) return forward(call);
    proxy.reply = forward;
    expect(await call.execute()).toMatchObject({ status: 200 });
    await meanwhile().finally(() => lost(call));
  };
}

it.each(cases)(
  'R13: a change whose response is lost takes effect once: $change, and meanwhile $sequence',
  async (given) => {
    const { change, sequence } = given;
    const { to, make } = changes[change];
    const Item = { id: { N: orderId }, status: { S: to === 'pending' ? 'cancelled' : 'pending' } };
    await database.dynamodb.send(new PutItemCommand({ TableName: tableName, Item }));
    let before: object | undefined;
    loseNext('UpdateItem', async () => {
      for (const each of sequence) expect(await changes[each].make()).toBe('done');
      before = await findOrder(orderId, table);
    });

    const told = await make();

    expect(before).toBeDefined();
    expect(await findOrder(orderId, table)).toEqual(before);
    // The SDK in the function repeats the write. The order remembers the last cancellation by a client.
    const isRemembered = !sequence.includes('cancelOrder');
    const toldClient = isRemembered ? 'done' : 'refused';
    expect(told).toBe(change === 'cancelOrder' ? toldClient : 'unconfirmed');
  },
);

it('an import whose response is lost inserts an order once, and the next finds that a client has cancelled it', async () => {
  const line: OrderItem = {
    id: { N: orderId },
    petId: { N: '1' },
    status: { S: 'pending' },
  };
  const Key = { id: { N: orderId } };
  await database.dynamodb.send(new DeleteItemCommand({ TableName: tableName, Key }));
  loseNext('PutItem', async () => {
    expect(await changes.cancelOrder.make()).toBe('done');
  });

  await expect(importOrder(line, table)).rejects.toThrow(UnconfirmedError);

  expect(await importOrder(line, table)).toEqual({
    name: 'different',
    note: 'has status "cancelled", the line says "pending"',
  });
  expect(await findOrder(orderId, table)).toMatchObject({ ...line, status: { S: 'cancelled' } });
});
