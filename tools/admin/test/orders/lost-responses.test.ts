import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OrderStatus } from '../../../../lambdas/shared/order-states.ts';
import { captureLinesOfTests } from '../../../../test/helpers/captured-lines.ts';
import {
  type DynamodbCall,
  DynamodbProxy,
} from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { cancelEvent, lambdaContext } from '../../../../test/helpers/functions/events.ts';
import { functionEnvironment } from '../../../../test/helpers/functions/function-environment.ts';
import { WrongStateError } from '../../../shared/errors.ts';
import { startDynamoDb } from '../../../shared/test/embedded-dynamodb.ts';
import { changeOrder, type OrderChange, transitions } from '../../orders/change-order.ts';
import { findOrder, ordersTable } from '../../orders/orders-table.ts';

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
const client = new DynamoDBClient({ endpoint: proxy.url });
const table = ordersTable(client, tableName);
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

/** A change of the order, which returns whether whoever makes it is told that it is done. */
interface Change {
  readonly to: OrderStatus;
  make(): Promise<boolean>;
}

const byOperator = (verb: OrderChange['verb']): Change => ({
  to: transitions[verb].to,
  make: async () => {
    const before = await findOrder(orderId, table);
    const made = changeOrder(before, { verb, by: 'ann', nowMs: Date.now() }, table);
    return made.then(
      () => true,
      (error) => {
        expect(error).toBeInstanceOf(WrongStateError);
        return false;
      },
    );
  },
});

const changes = {
  cancelOrder: {
    to: 'cancelled',
    make: async () => (await handler(cancelEvent(orderId), lambdaContext())).statusCode === 204,
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

/** What docs/threat-model.md says of a client's cancellation: others have cancelled and reopened since. */
const isForgotten = (change: ChangeName, sequence: ChangeName[]) =>
  change === 'cancelOrder' && sequence.length === 3 && sequence.at(-1) === 'orders reopen';

const cases = (Object.keys(changes) as ChangeName[]).flatMap((change) =>
  sequencesAfter(change)
    .filter((sequence) => !isForgotten(change, sequence))
    .map((sequence) => ({ change, sequence })),
);

/** Carries out the next write and what happens meanwhile, and then loses the write's response. */
function loseNextWrite(meanwhile: () => Promise<void>): void {
  const forward = proxy.reply;
  proxy.reply = (call) => {
    if (call.operation !== 'UpdateItem') return forward(call);
    proxy.reply = forward;
    return carryOut(call)
      .then(meanwhile)
      .finally(() => call.outgoing.destroy());
  };
}

async function carryOut({ incoming, body }: DynamodbCall): Promise<void> {
  const headers = incoming.headers as Record<string, string>;
  const { ok } = await fetch(database.endpoint, { method: 'POST', headers, body });
  expect(ok).toBe(true);
}

describe('R13: a change whose response is lost, so that the SDK repeats it', () => {
  it.each(cases)(
    'takes effect once: $change, and before it is repeated $sequence',
    async (given) => {
      const { change, sequence } = given;
      const { to, make } = changes[change];
      const status = { S: to === 'pending' ? 'cancelled' : 'pending' };
      const Item = { id: { N: orderId }, status };
      await database.dynamodb.send(new PutItemCommand({ TableName: tableName, Item }));
      let before: object | undefined;
      loseNextWrite(async () => {
        for (const each of sequence) expect(await changes[each].make()).toBe(true);
        before = await findOrder(orderId, table);
      });

      const isToldDone = await make();

      expect(before).toBeDefined();
      expect(await findOrder(orderId, table)).toEqual(before);
      // Of two changes of one kind, the order remembers the last.
      const isRemembered = !sequence.some((each) => changes[each].to === to);
      expect(isToldDone).toBe(isRemembered);
    },
  );
});
