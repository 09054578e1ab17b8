import {
  type BatchStatementErrorCodeEnum,
  ConditionalCheckFailedException,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  DynamoDBDocumentClient,
  NumberValue,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { reportFailure } from '../../failure-report.ts';
import { fileFields, type OrderItem } from '../../orders/order-record.ts';
import { ordersTable } from '../../orders/orders-table.ts';
import { storeOrders } from '../../orders/store-orders.ts';

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
const inserted = { outcome: 'inserted' };
const failed = (Code: BatchStatementErrorCodeEnum) => ({
  Error: { Code, Message: 'said DynamoDB' },
});
const throttled = failed('ThrottlingError');
const duplicate = failed('DuplicateItem');

beforeEach(() => {
  mock.reset();
  pauses.length = 0;
});

/** The exit code and the message of an insertion that fails. */
async function failureOfInserting(...orders: OrderItem[]) {
  const error = await storeOrders(orders, table).catch((thrown) => thrown);
  return reportFailure(error, { stage: 'prod' });
}

describe('storeOrders', () => {
  it('repeats only orders that were not processed, after a pause', async () => {
    mock
      .on(BatchExecuteStatementCommand)
      .resolvesOnce({ Responses: [{}, throttled, failed('ProvisionedThroughputExceeded')] })
      .resolvesOnce({ Responses: [throttled, {}] })
      .resolves({ Responses: [{}] });

    const outcomes = await storeOrders([order(1), order(2), order(3)], table);

    expect(outcomes).toEqual([inserted, inserted, inserted]);
    const sizes = mock
      .commandCalls(BatchExecuteStatementCommand)
      .map((call) => call.args[0].input.Statements!.length);
    expect(sizes).toEqual([3, 2, 1]);
    expect(pauses).toHaveLength(2);
  });

  it('repeats a call that was throttled or lost, or had an empty response', async () => {
    const lost = Object.assign(new Error('socket hang up'), { $metadata: { httpStatusCode: 503 } });
    const tooFast = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
    mock
      .on(BatchExecuteStatementCommand)
      .rejectsOnce(lost)
      .rejectsOnce(tooFast)
      .rejectsOnce(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
      .resolvesOnce({})
      .resolves({ Responses: [{}] });

    expect(await storeOrders([order(1)], table)).toEqual([inserted]);
    expect(pauses).toHaveLength(4);
  });

  it.each<[string, object, string]>([
    ['throttles', { Responses: [throttled] }, 'throttled'],
    ['answers with nothing', {}, 'may not have been done'],
    ['answers for another number of orders', { Responses: [{}, {}] }, 'may not have been done'],
  ])('fails after twelve attempts if DynamoDB %s', async (_, answer, message) => {
    mock.on(BatchExecuteStatementCommand).resolves(answer);

    const report = await failureOfInserting(order(1));

    expect(report).toMatchObject({ exitCode: 3, message: expect.stringContaining(message) });
    expect(pauses).toHaveLength(11);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(pauses[0]).toBeLessThanOrEqual(100);
  });

  it('does not repeat an order that DynamoDB refuses', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [{}, failed('ValidationError')] });

    expect(await failureOfInserting(order(1), order(2))).toMatchObject({
      exitCode: 1,
      message: 'order 2: DynamoDB refused it: ValidationError said DynamoDB',
    });
    expect(pauses).toHaveLength(0);
  });

  it('distinguishes existing orders with the same values from those with others', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate, {}, duplicate] });
    mock
      .on(BatchGetCommand)
      .resolvesOnce({
        Responses: { Orders: [order(1)] },
        UnprocessedKeys: { Orders: { Keys: [{ id: NumberValue.from(3) }] } },
      })
      .resolves({ Responses: { Orders: [{ ...order(3), petId: NumberValue.from(4) }] } });

    const outcomes = await storeOrders([order(1), order(2), order(3)], table);

    expect(outcomes).toEqual([
      { outcome: 'alreadyThere' },
      inserted,
      { outcome: 'different', note: 'order 3 is in the table with petId 4 instead of null' },
    ]);
    expect(mock.commandCalls(BatchGetCommand)).toHaveLength(2);
  });

  it.each([{}, { Responses: { Orders: [] } }])(
    'fails if the response does not show an existing order: %j',
    async (answer) => {
      mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate] });
      mock.on(BatchGetCommand).resolves(answer);

      expect(await failureOfInserting(order(1))).toMatchObject({ exitCode: 3 });
    },
  );

  describe('with replace', () => {
    const conditionFailed = new ConditionalCheckFailedException({ message: 'no', $metadata: {} });
    const stored = order(1, { status: 'cancelled', cancelledBy: 'key_1' });
    const found = (...items: object[]) => ({ Responses: { Orders: items } });
    const replacing = (order: OrderItem) => storeOrders([order], table, { replace: true });
    beforeEach(() => {
      mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate] });
    });

    it('changes the differing fields on the condition that all are as they were read', async () => {
      mock.on(BatchGetCommand).resolves(found(stored));
      mock.on(UpdateCommand).resolves({ Attributes: {} });

      expect(await replacing(order(1, { petId: NumberValue.from(7) }))).toEqual([
        expect.objectContaining({ outcome: 'replaced' }),
      ]);

      const { input } = mock.commandCalls(UpdateCommand)[0]!.args[0];
      const named = (text = '') =>
        text.replaceAll(/#\d+/g, (name) => input.ExpressionAttributeNames![name]!);
      expect(named(input.UpdateExpression)).toMatch(
        /^SET petId = :0, status = :1 REMOVE cancelledBy$/,
      );
      const condition = named(input.ConditionExpression);
      for (const field of fileFields) expect(condition).toMatch(new RegExp(`\\b${field}\\b`));
      expect(condition).toContain('attribute_not_exists(shippedAt)');
      expect(condition).toMatch(/status = :\d+/);
    });

    it.each([
      ['as the line has it, because an answer was lost, it is replaced', order(1), 'replaced'],
      ['otherwise, it is left alone', order(1, { status: 'shipped' }), 'different'],
    ])('reads an order again that has changed: if it is %s', async (_, now, outcome) => {
      mock.on(BatchGetCommand).resolvesOnce(found(stored)).resolves(found(now));
      mock
        .on(UpdateCommand)
        .rejectsOnce(Object.assign(new Error('socket hang up'), { name: 'TimeoutError' }))
        .rejects(conditionFailed);

      expect(await replacing(order(1))).toMatchObject([{ outcome }]);
      expect(mock.commandCalls(UpdateCommand)).toHaveLength(2);
    });
  });
});
