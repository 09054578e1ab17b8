import { type BatchStatementErrorCodeEnum, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  DynamoDBDocumentClient,
  NumberValue,
} from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { insertOrders } from '../../../admin/orders/insert-orders.ts';
import type { OrderItem } from '../../../admin/orders/order-record.ts';
import { ordersTable } from '../../../admin/orders/orders-table.ts';

const mock = mockClient(DynamoDBDocumentClient);
const pauses: number[] = [];
const table = {
  ...ordersTable(new DynamoDBClient({ region: 'us-east-1' }), 'Orders'),
  wait: async (ms: number) => void pauses.push(ms),
};

const order = (id: number, fields: Partial<OrderItem> = {}): OrderItem => ({
  id: NumberValue.from(id),
  status: 'pending',
  ...fields,
});
const failed = (Code: BatchStatementErrorCodeEnum) => ({
  Error: { Code, Message: 'said DynamoDB' },
});
const throttled = failed('ThrottlingError');

beforeEach(() => {
  mock.reset();
  pauses.length = 0;
});

describe('insertOrders', () => {
  it('sends one statement per order, which touches no order that is there', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [{}, {}] });

    const outcomes = await insertOrders([order(1), order(2, { complete: true })], table);

    expect(outcomes).toEqual(['inserted', 'inserted']);
    expect(mock.commandCalls(BatchExecuteStatementCommand)[0]!.args[0].input.Statements).toEqual([
      {
        Statement: `INSERT INTO "Orders" VALUE {'id': ?, 'status': ?}`,
        Parameters: [NumberValue.from(1), 'pending'],
      },
      {
        Statement: `INSERT INTO "Orders" VALUE {'id': ?, 'status': ?, 'complete': ?}`,
        Parameters: [NumberValue.from(2), 'pending', true],
      },
    ]);
  });

  it('sends again what was not processed, and only that, after a pause', async () => {
    mock
      .on(BatchExecuteStatementCommand)
      .resolvesOnce({ Responses: [{}, throttled, failed('ProvisionedThroughputExceeded')] })
      .resolvesOnce({ Responses: [throttled, {}] })
      .resolves({ Responses: [{}] });

    const outcomes = await insertOrders([order(1), order(2), order(3)], table);

    expect(outcomes).toEqual(['inserted', 'inserted', 'inserted']);
    const sizes = mock
      .commandCalls(BatchExecuteStatementCommand)
      .map((call) => call.args[0].input.Statements!.length);
    expect(sizes).toEqual([3, 2, 1]);
    expect(pauses).toHaveLength(2);
  });

  it('repeats a request that was throttled or lost as a whole', async () => {
    const lost = Object.assign(new Error('socket hang up'), { $metadata: { httpStatusCode: 503 } });
    const tooFast = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    mock
      .on(BatchExecuteStatementCommand)
      .rejectsOnce(lost)
      .rejectsOnce(tooFast)
      .rejectsOnce(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      .resolves({ Responses: [{}] });

    expect(await insertOrders([order(1)], table)).toEqual(['inserted']);
    expect(pauses).toHaveLength(3);
  });

  it('gives up after a dozen attempts attempts, with pauses that grow to ten seconds at most', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [throttled] });

    const inserting = insertOrders([order(1)], table);

    await expect(inserting).rejects.toThrow(
      'DynamoDB kept refusing writes (said DynamoDB); run the same command again to go on',
    );
    expect(pauses).toHaveLength(11);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(pauses[0]).toBeLessThanOrEqual(100);
  });

  it('tells at once when nothing is listening', async () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    mock.on(BatchExecuteStatementCommand).rejects(refused);

    await expect(insertOrders([order(1)], table)).rejects.toThrow('connect ECONNREFUSED');
    expect(pauses).toHaveLength(0);
  });

  it('does not repeat what can never succeed', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [{}, failed('AccessDenied')] });

    const inserting = insertOrders([order(1), order(2)], table);

    await expect(inserting).rejects.toThrow(
      'order 2: DynamoDB refused it: AccessDenied said DynamoDB',
    );
    expect(mock.commandCalls(BatchExecuteStatementCommand)).toHaveLength(1);
  });

  it('tells an order that is there with the same values from one with others', async () => {
    const duplicate = failed('DuplicateItem');
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate, {}, duplicate] });
    mock
      .on(BatchGetCommand)
      .resolvesOnce({
        Responses: {
          Orders: [{ ...order(1), status: 'cancelled', cancelledAt: 'x' }],
        },
        UnprocessedKeys: { Orders: { Keys: [{ id: NumberValue.from(3) }] } },
      })
      .resolves({ Responses: { Orders: [{ ...order(3), petId: NumberValue.from(4) }] } });

    const outcomes = await insertOrders([order(1), order(2), order(3)], table);

    expect(outcomes).toEqual(['already there', 'inserted', 'different']);
    expect(mock.commandCalls(BatchGetCommand)).toHaveLength(2);
  });
});
