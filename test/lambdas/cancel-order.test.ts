import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { attemptsOf } from '../helpers/attempts.ts';
import { type CapturedLines, captureLines } from '../helpers/captured-lines.ts';
import { keyId } from '../helpers/dynamodb/key-items.ts';
import {
  cancelEvent,
  lambdaContext,
  noRateLimitHeaders,
  rateLimitHeaders,
  requestContext,
  requestId,
} from '../helpers/functions/events.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';

Object.assign(process.env, functionEnvironment);
const { handler } = await import('../../lambdas/cancel-order.ts');

const dynamodb = mockClient(DynamoDBClient);
let captured: CapturedLines;

beforeEach(() => {
  dynamodb.reset();
  captured = captureLines();
});

afterEach(() => captured.release());

afterAll(() => dynamodb.restore());

const send = (event: APIGatewayProxyEvent, remainingMs?: number) =>
  handler(event, lambdaContext(remainingMs));

/** DynamoDB's response to a successful write, with the attributes that it sets. */
function orderIsPending() {
  dynamodb.on(UpdateItemCommand).callsFake(({ ExpressionAttributeValues: values }) => ({
    Attributes: { status: values[':cancelled'], cancelRequestId: values[':cancelRequestId'] },
  }));
}

function orderFound(order: Record<string, string> | undefined) {
  const attributes = Object.entries(order ?? {}).map(([name, S]) => [name, { S }]);
  const Item: Record<string, AttributeValue> = Object.fromEntries(attributes);
  dynamodb.on(UpdateItemCommand).rejects(
    new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...(order && { Item }),
    }),
  );
}

function errorAnswer(status: number, code: string, headers = {}) {
  return {
    statusCode: status,
    headers: { 'Content-Type': 'application/json', ...headers, ...rateLimitHeaders },
    body: expect.stringMatching(
      new RegExp(`^{"code":"${code}","message":"[^"]+","status":${status}}$`),
    ),
  };
}

describe('cancelOrder', () => {
  it('R13: answers 204 without a body when the order is pending', async () => {
    orderIsPending();

    const answer = await send(cancelEvent('42'));

    expect(answer).toEqual({ statusCode: 204, headers: rateLimitHeaders, body: '' });
  });

  it('cancels by one conditional write, which returns the order when it fails', async () => {
    orderIsPending();

    await send(cancelEvent('9223372036854775807'));

    expect(dynamodb.calls()).toHaveLength(1);
    expect(dynamodb.commandCalls(UpdateItemCommand)[0]?.args[0].input).toEqual({
      TableName: 'orders',
      Key: { id: { N: '9223372036854775807' } },
      UpdateExpression:
        'SET #status = :cancelled, cancelledAt = :now, cancelledBy = :keyId, cancelRequestId = :cancelRequestId',
      ConditionExpression: '#status = :pending',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':pending': { S: 'pending' },
        ':cancelled': { S: 'cancelled' },
        ':now': { S: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) },
        ':keyId': { S: keyId },
        ':cancelRequestId': { S: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      },
      ReturnValues: 'UPDATED_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('sends a write whose answer is lost once again, and not endlessly', async () => {
    orderIsPending();

    await send(cancelEvent('42'));

    expect(await attemptsOf(dynamodb.call(0).thisValue as DynamoDBClient)).toBe(2);
  });

  it('R14: answers 409 when the order has already shipped', async () => {
    orderFound({ status: 'shipped' });

    expect(await send(cancelEvent('42'))).toEqual(errorAnswer(409, 'order_already_shipped'));
  });

  it('R15: answers 404 when there is no such order', async () => {
    orderFound(undefined);

    expect(await send(cancelEvent('42'))).toEqual(errorAnswer(404, 'order_not_found'));
  });

  it.each([
    ['another request', { cancelRequestId: 'another' }],
    ['a request of the id that this client chose', { cancelRequestId: requestId }],
    ['a request that left no trace', {}],
  ])('answers 409 when %s has cancelled the order', async (_name, traces) => {
    orderFound({ status: 'cancelled', cancelledBy: keyId, ...traces });

    expect(await send(cancelEvent('42'))).toEqual(errorAnswer(409, 'order_already_cancelled'));
  });

  it('answers 204 when this very invocation has cancelled it: its write was sent twice', async () => {
    dynamodb.on(UpdateItemCommand).callsFake(({ ExpressionAttributeValues: values }) => {
      const Item = { status: values[':cancelled'], cancelRequestId: values[':cancelRequestId'] };
      throw new ConditionalCheckFailedException({ message: '', $metadata: {}, Item });
    });

    expect(await send(cancelEvent('42'))).toMatchObject({ statusCode: 204, body: '' });
  });

  it('has another id at every invocation, whatever the client calls its request', async () => {
    orderIsPending();

    await send(cancelEvent('42'));
    await send(cancelEvent('42'));

    const ids = dynamodb
      .commandCalls(UpdateItemCommand)
      .map(({ args }) => args[0].input.ExpressionAttributeValues![':cancelRequestId']!.S);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(requestId);
  });

  it.each([
    ['nothing', {}],
    ['no attributes', { Attributes: {} }],
    ['the work of another', { Attributes: { status: { S: 'cancelled' } } }],
  ])('answers 503 when DynamoDB says that it wrote %s', async (_name, answer) => {
    dynamodb.on(UpdateItemCommand).resolves(answer as never);

    const response = await send(cancelEvent('42'));

    expect(response).toEqual(errorAnswer(503, 'service_unavailable', { 'Retry-After': '1' }));
    const error = expect.objectContaining({ message: 'The answer does not say what it wrote.' });
    expect(captured.lines()).toContainEqual(expect.objectContaining({ level: 'ERROR', error }));
  });

  it('names nobody as who cancelled when the authorizer has named no key', async () => {
    orderIsPending();

    await send(cancelEvent('42', { requestContext: requestContext({ authorizer: undefined }) }));

    const { input } = dynamodb.commandCalls(UpdateItemCommand)[0]!.args[0];
    expect(input.ExpressionAttributeValues![':keyId']).toEqual({ S: '' });
  });

  it.each([
    ['an unheard-of state', { status: 'returned' }],
    ['no state', { petId: '7' }],
    ['a state in capitals', { status: 'PENDING' }],
  ])('answers 409 when the order is in %s', async (_name, order) => {
    orderFound(order);

    expect(await send(cancelEvent('42'))).toEqual(errorAnswer(409, 'order_not_cancellable'));
  });

  it.each(['0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'passes the id %s on, digit for digit',
    async (id) => {
      orderIsPending();

      const { statusCode } = await send(cancelEvent(id));

      expect(statusCode).toBe(204);
      expect(dynamodb.commandCalls(UpdateItemCommand)[0]?.args[0].input.Key).toEqual({
        id: { N: id },
      });
    },
  );

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1.0',
    '+1',
    '007',
    '-0',
    '0x10',
    '1e3',
    '',
    ' 1',
    '%00',
    '\0',
    '1%2F2',
    '1'.repeat(10_000),
    undefined,
  ])('answers 400, and asks DynamoDB nothing, when the id is %j', async (id) => {
    expect(await send(cancelEvent(id))).toEqual(errorAnswer(400, 'invalid_order_id'));
    expect(dynamodb.calls()).toHaveLength(0);
  });

  it('answers 400 when the path has no parameters at all', async () => {
    const event = cancelEvent('42', { pathParameters: null });

    expect(await send(event)).toEqual(errorAnswer(400, 'invalid_order_id'));
  });

  it.each([
    ['throttled', { name: 'ProvisionedThroughputExceededException' }],
    ['throttled for the account', { name: 'RequestLimitExceeded' }],
    ['throttled in general', { name: 'ThrottlingException' }],
    ['busy with its tables', { name: 'LimitExceededException' }],
    ['unavailable', { name: 'ServiceUnavailable' }],
    ['in a transaction on the order', { name: 'TransactionConflictException' }],
    ['failing inside', { name: 'InternalServerError' }],
    ['answering 503', { name: 'Odd', $metadata: { httpStatusCode: 503 } }],
    ['too slow', { name: 'TimeoutError' }],
    ['refusing connections', { code: 'ECONNREFUSED' }],
    ['breaking connections', { code: 'ECONNRESET' }],
    ['not to be found', { code: 'ENOTFOUND' }],
  ])('answers 503 with Retry-After 1 when DynamoDB is %s', async (_name, traits) => {
    dynamodb.on(UpdateItemCommand).rejects(Object.assign(new Error('shh'), traits));

    const answer = await send(cancelEvent('42'));

    expect(answer).toEqual(errorAnswer(503, 'service_unavailable', { 'Retry-After': '1' }));
    expect(captured.lines()).toMatchObject([
      { level: 'ERROR', requestId, keyId, error: { message: 'shh' } },
    ]);
  });

  it.each([
    ['a programming error', new TypeError('secret-table is not a function')],
    [
      'a missing table',
      Object.assign(new Error('secret-table'), { name: 'ResourceNotFoundException' }),
    ],
    [
      'a missing permission',
      Object.assign(new Error('secret-table'), { name: 'AccessDeniedException' }),
    ],
    [
      "Node's own error",
      Object.assign(new Error('secret-table'), { code: 'ERR_INVALID_ARG_TYPE' }),
    ],
  ])('answers 500 for %s, says nothing of it, and logs it', async (_name, error) => {
    dynamodb.on(UpdateItemCommand).rejects(error);

    const answer = await send(cancelEvent('42'));

    expect(answer).toEqual(errorAnswer(500, 'internal_error'));
    expect(JSON.stringify(answer)).not.toContain('secret-table');
    expect(captured.lines()).toMatchObject([
      {
        level: 'ERROR',
        message: 'internal_error',
        requestId,
        keyId,
        error: { message: error.message, stack: expect.stringContaining(error.message) },
      },
    ]);
  });

  it('answers 504 just before its own time is over', async () => {
    dynamodb.on(UpdateItemCommand).callsFake(() => new Promise(() => {}));

    const answer = await send(cancelEvent('42'), 201);

    expect(answer).toEqual(errorAnswer(504, 'timeout'));
    expect(dynamodb.call(0).args).toMatchObject([{}, { abortSignal: { aborted: true } }]);
  });

  it('answers 400 to a body that is sent as JSON and is none, before it cancels anything', async () => {
    const headers = { 'Content-Type': 'application/json' };
    const event = cancelEvent('42', { headers, body: '{"reason":' });

    expect(await send(event)).toEqual(errorAnswer(400, 'invalid_body'));
    expect(dynamodb.calls()).toHaveLength(0);
  });
});

describe("cancelOrder's metrics", () => {
  it.each([
    ['cancelled', () => orderIsPending()],
    ['order_not_found', () => orderFound(undefined)],
    ['order_already_shipped', () => orderFound({ status: 'shipped' })],
    ['order_already_cancelled', () => orderFound({ status: 'cancelled' })],
    ['order_not_cancellable', () => orderFound({ status: 'lost' })],
  ])('count the outcome %s', async (outcome, given) => {
    given();

    await send(cancelEvent('42'));

    expect(captured.lines()).toMatchObject([
      { CancellationsRequested: 1, Outcome: outcome, Stage: 'staging', requestId, keyId },
    ]);
  });

  it('count nothing when nobody knows the outcome', async () => {
    dynamodb.on(UpdateItemCommand).rejects(new Error('odd'));

    await send(cancelEvent('42'));

    expect(captured.text()).not.toContain('CancellationsRequested');
  });
});

describe('cancelOrder without an authorizer', () => {
  it('R22: answers with rate-limit headers of zero', async () => {
    orderIsPending();
    const event = cancelEvent('42', { requestContext: requestContext({ authorizer: undefined }) });

    const { headers } = await send(event);

    expect(headers).toEqual(noRateLimitHeaders);
  });
});
