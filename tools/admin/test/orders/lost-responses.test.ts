import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { OrderStatus } from '../../../../lambdas/orders/order-states.ts';
import { captureLinesOfTests } from '../../../../test/helpers/captured-lines.ts';
import { DynamodbProxy, forward, lost } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { cancelEvent, lambdaContext } from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { type Change, changeOrder, changes } from '../../orders/change-orders.ts';
import { withCallLimits } from '../../stage/call-limits.ts';
import { mayHaveTakenEffect } from '../../stage/service-failure.ts';

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
const stage = { orders: { dynamodb: client, tableName }, operator: 'ann', now: Date.now };
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
  client.destroy();
  await proxy[Symbol.asyncDispose]();
  await database.stop();
});

/** A change of the order, which returns the message to its user. */
interface Maker {
  readonly to: OrderStatus;
  make(): Promise<'done' | 'refused' | 'unconfirmed'>;
}

const byOperator = (change: Change): Maker => ({
  to: changes[change].to,
  make: async () => {
    const made = changeOrder(Key, change, { stage: stage as never });
    return made.then(
      (refused) => (refused ? 'refused' : 'done'),
      (error) => {
        expect(mayHaveTakenEffect(error)).toBe(true);
        return 'unconfirmed';
      },
    );
  },
});

const makers = {
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
} satisfies Record<string, Maker>;
type ChangeName = keyof typeof makers;

const changesFrom: Readonly<Record<OrderStatus, readonly ChangeName[]>> = {
  pending: ['cancelOrder', 'orders cancel', 'orders ship'],
  cancelled: ['orders reopen'],
  shipped: [],
};

/** All sequences of changes that can follow a change, of which each takes effect. */
function sequencesAfter(change: ChangeName, longest = 3): ChangeName[][] {
  if (longest === 0) return [[]];
  const next = changesFrom[makers[change].to].flatMap((each) =>
    sequencesAfter(each, longest - 1).map((rest) => [each, ...rest]),
  );
  return [[], ...next];
}

/** The exception in docs/threat-model.md: others have cancelled and reopened the order after the client. */
const isForgotten = (change: ChangeName, sequence: ChangeName[]) =>
  change === 'cancelOrder' && sequence.slice(1).join() === 'cancelOrder,orders reopen';

const cases = (Object.keys(makers) as ChangeName[]).flatMap((change) =>
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
    const { to, make } = makers[change];
    const Item = { id: { N: orderId }, status: { S: to === 'pending' ? 'cancelled' : 'pending' } };
    await database.dynamodb.send(new PutItemCommand({ TableName: tableName, Item }));
    let before: object | undefined;
    loseNext('UpdateItem', async () => {
      for (const each of sequence) expect(await makers[each].make()).toBe('done');
      before = await readOrder();
    });

    const told = await make();

    expect(before).toBeDefined();
    expect(await readOrder()).toEqual(before);
    // The SDK in the function repeats the write. The order remembers the last cancellation by a client.
    const isRemembered = !sequence.includes('cancelOrder');
    const toldClient = isRemembered ? 'done' : 'refused';
    expect(told).toBe(change === 'cancelOrder' ? toldClient : 'unconfirmed');
  },
);
