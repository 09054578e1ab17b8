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
import { addOrders } from '../../orders/add-orders.ts';
import type { OrderItem } from '../../orders/order-record.ts';
import { ordersTable } from '../../stage/orders-table.ts';
import { UnconfirmedError } from '../../stage/service-failure.ts';

const mock = mockClient(DynamoDBDocumentClient);
const pauses: number[] = [];
const table = {
  ...ordersTable(new DynamoDBClient({ region: 'us-east-1' }), 'Orders'),
  wait: async (ms: number) => void pauses.push(ms),
};

const number = NumberValue.from;
const order = (id: number, fields: Partial<OrderItem> = {}): OrderItem => ({
  id: NumberValue.from(id),
  status: 'pending',
  ...fields,
});
const inserted = { outcomes: ['inserted'] };
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
  const error = await addOrders(orders, table).catch((thrown) => thrown);
  return reportFailure(error, { stage: 'prod' });
}

describe('addOrders', () => {
  it('repeats only orders that were not processed, after a pause', async () => {
    mock
      .on(BatchExecuteStatementCommand)
      .resolvesOnce({ Responses: [{}, throttled, failed('ProvisionedThroughputExceeded')] })
      .resolvesOnce({ Responses: [throttled, {}] })
      .resolves({ Responses: [{}] });

    const outcomes = await addOrders([order(1), order(2), order(3)], table);

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

    expect(await addOrders([order(1)], table)).toEqual([inserted]);
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
      .resolves({ Responses: { Orders: [{ ...order(3), petId: number(4) }] } });

    const outcomes = await addOrders([order(1), order(2), order(3, { petId: number(5) })], table);

    expect(outcomes).toEqual([
      { outcomes: ['alreadyThere'] },
      inserted,
      { outcomes: ['different'], note: 'order 3 has petId 4, the line says 5' },
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

  describe('with update', () => {
    const existing = order(1, { petId: number(3) });
    const line = order(1, { petId: number(7), quantity: number(2), complete: true });
    const updating = () => addOrders([line], table, { update: true });
    beforeEach(() => {
      mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate] });
      mock.on(BatchGetCommand).resolves({ Responses: { Orders: [existing] } });
    });

    it('sets values that are as they were read, and reports a state that has changed meanwhile', async () => {
      mock.on(UpdateCommand).resolves({ Attributes: { ...line, status: 'cancelled' } });

      expect(await updating()).toEqual([
        {
          outcomes: ['updated', 'different'],
          note: 'order 1 is cancelled, the line says pending',
        },
      ]);

      const { input } = mock.commandCalls(UpdateCommand)[0]!.args[0];
      const named = (text = '') =>
        text.replaceAll(/#\d+/g, (name) => input.ExpressionAttributeNames![name]!);
      expect(named(input.UpdateExpression)).toBe('SET petId = :0, quantity = :1');
      expect(named(input.ConditionExpression)).toBe(
        'attribute_exists(id) AND petId = :2 AND attribute_not_exists(quantity)',
      );
      expect(Object.values(input.ExpressionAttributeValues!).map(String)).toEqual(['7', '2', '3']);
    });

    it('leaves an order whose values have changed since they were read', async () => {
      mock
        .on(UpdateCommand)
        .rejects(new ConditionalCheckFailedException({ message: 'no', $metadata: {} }));

      expect(await updating()).toEqual([
        { outcomes: ['different'], note: 'order 1 has changed since it was read; import it again' },
      ]);
    });

    it('repeats an update that was throttled, and none whose response was lost', async () => {
      const tooFast = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
      const lost = new UnconfirmedError('UpdateItem', new Error('socket hang up'));
      mock.on(UpdateCommand).rejectsOnce(tooFast).rejectsOnce(lost).resolves({ Attributes: line });

      const report = reportFailure(await updating().catch((thrown) => thrown), { stage: 'prod' });

      expect(report).toMatchObject({
        exitCode: 3,
        message: expect.stringMatching(
          /may or may not have been done .*; "\.\/admin orders show 1" shows whether it was$/,
        ),
      });
      expect(mock.commandCalls(UpdateCommand)).toHaveLength(2);
    });
  });
});
