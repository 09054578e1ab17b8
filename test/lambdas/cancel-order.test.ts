import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { bearerChallenge } from '../../lambdas/contract/errors.ts';
import {
  answer,
  failure,
  lost,
  nameless,
  type Reply,
  unanswered,
  unreadable,
} from '../helpers/dynamodb/dynamodb-proxy.ts';
import { keyId } from '../helpers/dynamodb/key-items.ts';
import { fastForward } from '../helpers/fast-forward.ts';
import {
  cancelEvent,
  commonHeaders,
  requestContext,
  requestId,
  sourceIp,
} from '../helpers/functions/events.ts';
import { functionUnderTest } from '../helpers/functions/function-under-test.ts';

const { table, log, send } = await functionUnderTest('cancel-order');

beforeEach(() => {
  table.reply = written;
  // The delays before retries are random. With 0, there is no delay.
  jest.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const cancel = (orderId: string | undefined) => send(cancelEvent(orderId));

/** The status and the code of a response. `send` has compared the rest with the contract. */
async function answerTo(orderId: string | undefined): Promise<string> {
  const { statusCode, body } = await cancel(orderId);
  return `${statusCode} ${body && JSON.parse(body).code}`;
}

/** The attributes that a write sets, as DynamoDB's response states them. */
function attributesOf(input: Record<string, unknown>) {
  const values = input.ExpressionAttributeValues as Record<string, { S: string }>;
  return { cancelRequestId: values[':cancelRequestId'] };
}

const written: Reply = (call) => answer({ Attributes: attributesOf(call.input) })(call);
/** A failed condition, with the order that was found, if any. */
const found = (Item?: object) =>
  failure('ConditionalCheckFailedException', Item === undefined ? {} : { Item });
const foundItsOwnWork: Reply = (call) => found(attributesOf(call.input))(call);

/** The line that counts an outcome, with the fields that identify the request and the order. */
const counted = (Outcome: string, orderId = '42') =>
  expect.objectContaining({
    CancellationLatency: expect.any(Number),
    Outcome,
    requestId,
    keyId,
    sourceIp,
    orderId,
    cancelRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });

describe('cancelOrder', () => {
  it.each([
    ['since API Gateway received the request', 1_500, 1_500],
    ['as 0 if the clocks differ', -1_500, 0],
  ])('records its latency %s', async (_, agoMs, latencyMs) => {
    const nowMs = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(nowMs);
    const received = requestContext({ requestTimeEpoch: nowMs - agoMs });

    await send(cancelEvent('1', { requestContext: received }));

    const [{ CancellationLatency, _aws }] = log.lines() as [Record<string, unknown>];
    expect(CancellationLatency).toBe(latencyMs);
    expect(JSON.stringify(_aws)).toContain('{"Name":"CancellationLatency","Unit":"Milliseconds"}');
  });

  it('R13, I6: cancels a pending order with one conditional write, and answers 204 without a body', async () => {
    const response = await cancel('9223372036854775807');

    expect(response).toEqual({ statusCode: 204, headers: commonHeaders, body: '' });
    const [line] = log.lines();
    expect(line).toEqual(counted('cancelled', '9223372036854775807'));
    expect(table.requests).toEqual([
      {
        operation: 'UpdateItem',
        input: {
          TableName: 'orders',
          Key: { id: { N: '9223372036854775807' } },
          UpdateExpression:
            'SET #status = :cancelled, cancelledAt = :cancelledAt, cancelledBy = :cancelledBy, ' +
            'cancelRequestId = :cancelRequestId',
          ConditionExpression:
            '#status = :pending AND ' +
            '(attribute_not_exists(cancelRequestId) OR cancelRequestId <> :cancelRequestId)',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: {
            ':pending': { S: 'pending' },
            ':cancelled': { S: 'cancelled' },
            ':cancelledAt': {
              S: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
            },
            ':cancelledBy': { S: keyId },
            ':cancelRequestId': { S: line!.cancelRequestId },
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ]);
  });

  const inState = (status: string, traces: object = {}) =>
    found({ id: { N: '42' }, status: { S: status }, ...traces });

  const another = { cancelRequestId: { S: 'another' }, cancelledBy: { S: keyId } };
  it.each<[string, number, string, Reply]>([
    ['R14: the order has shipped', 409, 'order_already_shipped', inState('shipped')],
    ['R15: the order does not exist', 404, 'order_not_found', found()],
    ['its state is unknown', 409, 'order_not_cancellable', inState('never-used')],
    ['its state is the name of a property', 409, 'order_not_cancellable', inState('constructor')],
    ['it has no state', 409, 'order_not_cancellable', found({ id: { N: '42' } })],
    ['another request cancelled it', 409, 'order_already_cancelled', inState('cancelled', another)],
    ['it was cancelled without a trace', 409, 'order_already_cancelled', inState('cancelled')],
  ])('R5: refuses, and counts the refusal, when %s: %i %s', async (_name, status, code, reply) => {
    table.reply = reply;

    expect(await answerTo('42')).toBe(`${status} ${code}`);
    expect(table.requests).toHaveLength(1);
    expect(log.lines()).toEqual([counted(code)]);
  });

  it('I18: answers 403 to a read-only key without calling DynamoDB', async () => {
    const context = requestContext();
    Object.assign(context.authorizer, { isReadOnly: 'true' });

    const response = await send(cancelEvent('42', { requestContext: context }));

    const challenge = `${bearerChallenge}, error="insufficient_scope"`;
    expect(response.statusCode).toBe(403);
    expect(response.headers).toEqual(
      expect.objectContaining({ ...commonHeaders, 'WWW-Authenticate': challenge }),
    );
    expect(table.requests).toEqual([]);
  });

  it('R13: answers 204 if the first response is lost and the repeated write finds its own change', async () => {
    table.next.push(lost);
    table.reply = foundItsOwnWork;

    expect((await cancel('42')).statusCode).toBe(204);
    expect(table.requests).toHaveLength(2);
    expect(table.requests[1]).toEqual(table.requests[0]);
  });

  it('creates another cancellation id at every invocation, whatever request id the client chooses', async () => {
    await cancel('42');
    await cancel('42');

    const ids = table.requests.map(({ input }) => attributesOf(input).cancelRequestId?.S);
    expect(new Set([...ids, requestId]).size).toBe(3);
  });

  it.each([
    ['0', '0'],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['%2d%31001', '-1001'],
  ])('passes the id %s to DynamoDB as %s', async (id, N) => {
    expect((await cancel(id)).statusCode).toBe(204);
    expect(table.requests[0]!.input.Key).toEqual({ id: { N } });
  });

  it.each([
    ['greater than int64 by one', '9223372036854775808'],
    ['a number with leading zeros', '007'],
    ['empty', ''],
    ['missing', undefined],
    ['followed by a line break', '1\n'],
    ["in digits other than ASCII's", '١٢٣'],
    ['very long', '1'.repeat(100_000)],
  ])(
    'I7: answers 400, without calling DynamoDB or counting, when the id is %s',
    async (_name, id) => {
      expect(await answerTo(id)).toBe('400 invalid_order_id');
      expect(table.requests).toEqual([]);
      expect(log.text()).toBe('');
    },
  );
});

describe('cancelOrder, when DynamoDB fails', () => {
  it.each<[string, Reply]>([
    ['throttles every attempt', failure('ThrottlingException')],
    ['fails at every attempt', answer({ __type: 'InternalServerError' }, 500)],
    ['sends unreadable responses', unreadable],
    ['sends errors whose body is cut off', nameless],
    ['is writing the order in a transaction', failure('TransactionConflictException')],
  ])('answers 503 with Retry-After 1 if it %s', async (_name, reply) => {
    table.reply = reply;

    expect(await cancel('42')).toMatchObject({ statusCode: 503, headers: { 'Retry-After': '1' } });
    expect(table.requests).toHaveLength(2);
    expect(log.lines()).toMatchObject([
      counted('service_unavailable'),
      { level: 'ERROR', requestId, keyId },
    ]);
  });

  it.each(['ResourceNotFoundException', 'AccessDeniedException', 'ValidationException'])(
    'answers 500 for %s without revealing it, and logs it',
    async (type) => {
      table.reply = failure(type, { message: 'secret-table' });

      const response = await cancel('42');

      expect(response.statusCode).toBe(500);
      expect(response.body).not.toContain('secret-table');
      const stack = expect.stringContaining('secret-table');
      expect(log.lines()).toMatchObject([
        counted('internal_error'),
        { level: 'ERROR', message: 'internal_error', requestId, keyId, error: { stack } },
      ]);
    },
  );

  it('answers 503 if the write was refused after a lost response, because the first attempt may have succeeded', async () => {
    table.next.push(lost);
    table.reply = failure('AccessDeniedException');

    expect(await answerTo('42')).toBe('503 service_unavailable');
  });

  it('answers 503 after two attempts of two seconds if DynamoDB never responds', async () => {
    table.reply = unanswered;

    const { result, elapsedMs } = await fastForward(() => answerTo('42'));

    expect(result).toBe('503 service_unavailable');
    expect(table.requests).toHaveLength(2);
    expect(elapsedMs).toBeLessThan(5_000);
  });

  it('answers 504 just before its timeout, and writes nothing afterwards', async () => {
    table.next.push(unanswered);

    // Middy's own timer is a real timer, and is due at once.
    const { result } = await fastForward(async () => {
      const response = await send(cancelEvent('42'), 201);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return response;
    });

    expect(result.statusCode).toBe(504);
    expect(table.requests.length).toBeLessThan(2);
    expect(log.lines()).toMatchObject([counted('timeout'), { error: { name: 'ApiError' } }]);
  });
});
