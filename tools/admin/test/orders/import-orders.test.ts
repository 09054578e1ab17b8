import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  type BatchStatementErrorCodeEnum,
  ConditionalCheckFailedException,
  DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { reportFailure } from '../../failure-report.ts';
import { addOrders } from '../../orders/import-orders.ts';
import type { OrderItem } from '../../orders/order-record.ts';
import { UnconfirmedError } from '../../stage/service-failure.ts';

const mock = mockClient(DynamoDBClient);
const pauses: number[] = [];
const table = {
  dynamodb: new DynamoDBClient({ region: 'us-east-1' }),
  tableName: 'Orders',
  wait: async (ms: number) => void pauses.push(ms),
};

const number = (value: number) => ({ N: String(value) });
const order = (id: number, fields: Partial<OrderItem> = {}): OrderItem => ({
  id: number(id),
  status: { S: 'pending' },
  ...fields,
});
const inserted = { outcomes: ['inserted'] };
const failed = (Code: BatchStatementErrorCodeEnum) => ({
  Error: { Code, Message: 'said DynamoDB' },
});
const throttled = failed('ThrottlingError');
const tooFast = Object.assign(new Error('slow down'), { name: 'ThrottlingException' });
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

  it.each<[string, { Responses?: object[] } | Error]>([
    ['is lost', new UnconfirmedError('BatchExecuteStatement', new Error('socket hang up'))],
    ['is empty', {}],
    ['is for another number of orders', { Responses: [{}, {}] }],
    ['is an error that says nothing', { Responses: [failed('InternalServerError')] }],
  ])('sends an insertion once if its response %s, and looks for its order', async (_, response) => {
    const insertions = mock.on(BatchExecuteStatementCommand);
    if (response instanceof Error) insertions.rejects(response);
    else insertions.resolves(response);
    mock
      .on(BatchGetItemCommand)
      .resolvesOnce({ Responses: { Orders: [order(1)] } })
      .resolves({ Responses: { Orders: [] } });

    expect(await addOrders([order(1)], table)).toEqual([{ outcomes: ['alreadyThere'] }]);
    expect(await failureOfInserting(order(1))).toMatchObject({ exitCode: 3, code: 'unconfirmed' });
    expect(mock.commandCalls(BatchExecuteStatementCommand)).toHaveLength(2);
  });

  it('inserts an order with long names by a call of its own, with the same care', async () => {
    const long = (id: number) => order(id, { ['x'.repeat(8_192)]: number(1) });
    const orders = [1, 2, 3, 4].map(long);
    const exists = new ConditionalCheckFailedException({ message: '', $metadata: {} });
    mock
      .on(PutItemCommand, { ConditionExpression: 'attribute_not_exists(id)' })
      .rejectsOnce(tooFast)
      .resolvesOnce({ ConsumedCapacity: {} })
      .rejectsOnce(exists)
      .rejectsOnce(new UnconfirmedError('PutItem', new Error('socket hang up')))
      .resolvesOnce({});
    mock.on(BatchGetItemCommand).resolves({ Responses: { Orders: orders.slice(1) } });

    const [first, ...others] = await addOrders(orders, table);

    expect(first).toEqual(inserted);
    expect(others).toEqual(others.map(() => ({ outcomes: ['alreadyThere'] })));
    expect(mock.commandCalls(PutItemCommand)).toHaveLength(5);
    expect(pauses).toHaveLength(1);
    mock.on(PutItemCommand).rejects(Object.assign(new Error('x'), { name: 'ValidationException' }));
    expect(await failureOfInserting(long(5))).toMatchObject({
      exitCode: 1,
      message: 'order 5: DynamoDB refused it: ValidationException x',
    });
  });

  it('fails after twelve attempts if DynamoDB throttles', async () => {
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [throttled] });

    const report = await failureOfInserting(order(1));

    expect(report).toMatchObject({ exitCode: 3, message: expect.stringContaining('throttled') });
    expect(pauses).toHaveLength(11);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    expect(pauses[0]).toBeLessThanOrEqual(100);
  });

  it('continues as long as each attempt inserts an order', async () => {
    const orders = Array.from({ length: 25 }, (_, id) => order(id));
    mock.on(BatchExecuteStatementCommand).callsFake(async ({ Statements: [, ...others] }) => ({
      Responses: [{}, ...others.map(() => throttled)],
    }));

    expect(await addOrders(orders, table)).toEqual(orders.map(() => inserted));
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
      .on(BatchGetItemCommand)
      .resolvesOnce({
        Responses: { Orders: [order(1)] },
        UnprocessedKeys: { Orders: { Keys: [{ id: number(3) }] } },
      })
      .resolves({ Responses: { Orders: [{ ...order(3), petId: number(4) }] } });

    const outcomes = await addOrders([order(1), order(2), order(3, { petId: number(5) })], table);

    expect(outcomes).toEqual([
      { outcomes: ['alreadyThere'] },
      inserted,
      { outcomes: ['different'], note: 'order 3 has petId 4, the line says 5' },
    ]);
    expect(mock.commandCalls(BatchGetItemCommand)).toHaveLength(2);
  });

  it('fails in a dry run if the response to a read is empty', async () => {
    mock.on(BatchGetItemCommand).resolves({});

    await expect(addOrders([order(1)], table, { dryRun: true })).rejects.toThrow(UnconfirmedError);
  });

  it('repeats an update that was throttled, and none whose response was lost', async () => {
    const existing = order(1, { petId: number(3) });
    mock.on(BatchExecuteStatementCommand).resolves({ Responses: [duplicate] });
    mock.on(BatchGetItemCommand).resolves({ Responses: { Orders: [existing] } });
    mock
      .on(UpdateItemCommand)
      .rejectsOnce(tooFast)
      .rejectsOnce(new UnconfirmedError('UpdateItem', new Error('socket hang up')))
      .resolves({ Attributes: existing });

    const updating = addOrders([order(1, { petId: number(7) })], table, { update: true });
    const report = reportFailure(await updating.catch((thrown) => thrown), { stage: 'prod' });

    expect(report).toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(
        /may or may not have been done .*; "\.\/admin orders show 1" shows whether it was$/,
      ),
    });
    expect(mock.commandCalls(UpdateItemCommand)).toHaveLength(2);
  });
});
