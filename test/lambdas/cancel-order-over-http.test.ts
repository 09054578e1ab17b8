import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { type CapturedLines, captureLines } from '../helpers/captured-lines.ts';
import {
  type CannedHttpDynamodb,
  type DynamicAnswer,
  failureAnswer,
  startCannedHttpDynamodb,
} from '../helpers/dynamodb/canned-http-dynamodb.ts';
import { fastForward } from '../helpers/fast-forward.ts';
import { cancelEvent, lambdaContext } from '../helpers/functions/events.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';

let server: CannedHttpDynamodb;
let captured: CapturedLines;
let cancel: (orderId: string, remainingMs?: number) => Promise<{ statusCode: number }>;

beforeAll(async () => {
  server = await startCannedHttpDynamodb();
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: server.endpoint });
  const { handler } = await import('../../lambdas/cancel-order.ts');
  cancel = (orderId, remainingMs) => handler(cancelEvent(orderId), lambdaContext(remainingMs));
});

beforeEach(() => {
  server.requests.length = 0;
  server.answers.length = 0;
  captured = captureLines();
});

afterEach(() => {
  captured.release();
  jest.restoreAllMocks();
});

afterAll(() => server.close());

/** The response to the write, with the attributes that it sets. */
const attributes = (input: Record<string, unknown>) => {
  const values = input.ExpressionAttributeValues as Record<string, object>;
  return { status: values[':cancelled'], cancelRequestId: values[':cancelRequestId'] };
};
const written: DynamicAnswer = (input) => ({ body: { Attributes: attributes(input) } });
const found: DynamicAnswer = (input) => conditionFails(attributes(input));
const conditionFails = (Item?: object) =>
  failureAnswer('ConditionalCheckFailedException', Item && { Item });

describe('cancelOrder, at the DynamoDB that it calls', () => {
  it('costs one round trip, which carries the id as digits', async () => {
    server.answers.push(written);

    const { statusCode } = await cancel('9223372036854775807');

    expect(statusCode).toBe(204);
    expect(server.requests).toMatchObject([
      { operation: 'UpdateItem', input: { Key: { id: { N: '9223372036854775807' } } } },
    ]);
  });

  it.each([
    ['R14: answers 409', 409, { status: { S: 'shipped' } }],
    ['R15: answers 404', 404, undefined],
  ])('%s after one round trip too', async (_name, status, found) => {
    server.answers.push(conditionFails(found));

    expect((await cancel('42')).statusCode).toBe(status);
    expect(server.requests).toHaveLength(1);
  });

  it('R13: answers 204 when the first answer is lost and the second finds its own work', async () => {
    server.answers.push('lost', found);

    expect((await cancel('42')).statusCode).toBe(204);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]).toEqual(server.requests[0]);
  });

  it('R13: answers 204 so however often answers are lost in one environment', async () => {
    // The delays before the repetitions are drawn at random, up to this share of the longest.
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const statuses = new Set<number>();
    for (let lost = 0; lost < 150; lost++) {
      server.answers.push('lost', found);
      statuses.add((await cancel('42')).statusCode);
    }

    expect([...statuses]).toEqual([204]);
  });

  it.each([
    ['throttles every attempt', failureAnswer('ThrottlingException')],
    ['fails at every attempt', { status: 500, body: { __type: 'InternalServerError' } }],
    ['is behind something that answers in HTML', { status: 502, body: { html: 'Bad gateway' } }],
  ])('answers 503 after two attempts when DynamoDB %s', async (_name, answer) => {
    server.answers.push(answer, answer);

    expect(await cancel('42')).toMatchObject({
      statusCode: 503,
      headers: { 'Retry-After': '1', 'X-RateLimit-Limit': '60' },
    });
    expect(server.requests).toHaveLength(2);
  });

  it('writes nothing any more when it has answered 504', async () => {
    server.answers.push('none', written);

    // Middy's own timer is a real one, and due at once.
    const { result } = await fastForward(async () => {
      const answer = await cancel('42', 201);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
      return answer;
    });

    expect(result.statusCode).toBe(504);
    expect(server.requests.length).toBeLessThan(2);
  });
});
