import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  failureAnswer,
  startCannedHttpDynamodb,
} from '../helpers/dynamodb/canned-http-dynamodb.ts';
import { exampleToken, ownerHash, ownerItem } from '../helpers/dynamodb/key-items.ts';
import { fastForward } from '../helpers/fast-forward.ts';
import { authorizerEvent, lambdaContext } from '../helpers/functions/events.ts';
import { functionEnvironment } from '../helpers/functions/function-environment.ts';

const nowSeconds = Math.floor(Date.now() / 1_000);
// The windows are slightly ahead, so that they stay the current ones while the tests run.
const windows = {
  minuteWindow: nowSeconds - (nowSeconds % 60) + 120,
  dayWindow: nowSeconds - (nowSeconds % 86_400),
};
const found = { body: { Item: ownerItem({ ...windows, minuteCount: 0, dayCount: 0 }) } };
const admitted = { body: { Attributes: ownerItem({ ...windows, minuteCount: 1, dayCount: 1 }) } };
const full = ownerItem({ ...windows, minuteCount: 60, dayCount: 60 });
let server: CannedHttpDynamodb;
let captured: CapturedLines;

beforeAll(async () => {
  server = await startCannedHttpDynamodb();
});

beforeEach(() => {
  server.requests.length = 0;
  server.answers.length = 0;
  captured = captureLines();
});

afterEach(() => captured.release());

afterAll(() => server.close());

async function authorizer(endpoint = server.endpoint) {
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: endpoint });
  jest.resetModules();
  const { handler } = await import('../../lambdas/authorizer.ts');
  return () => handler(authorizerEvent(`Bearer ${exampleToken()}`), lambdaContext());
}

async function refusingEndpoint(): Promise<string> {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  return `http://127.0.0.1:${port}`;
}

describe('the authorizer, at the DynamoDB that it calls', () => {
  it('costs one round trip for a cached key, and one more the first time', async () => {
    const ask = await authorizer();
    server.answers.push(found, admitted, admitted, admitted);

    for (let request = 0; request < 3; request++) await ask();

    expect(server.requests.map(({ operation }) => operation)).toEqual([
      'GetItem',
      'UpdateItem',
      'UpdateItem',
      'UpdateItem',
    ]);
    for (const { input } of server.requests) {
      expect(input).toMatchObject({ Key: { ownerHash: { S: ownerHash } } });
    }
  });

  it('reads the old item out of a failed condition', async () => {
    const ask = await authorizer();
    const failed = failureAnswer('ConditionalCheckFailedException', { Item: full });
    server.answers.push(found, failed);

    const { context } = await ask();

    expect(context).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(server.requests).toHaveLength(2);
  });

  it('sends the write again when its answer is lost', async () => {
    const ask = await authorizer();
    server.answers.push(found, 'lost', admitted);

    const result = await ask();

    expect(result.policyDocument.Statement).toMatchObject([{ Effect: 'Allow' }]);
    expect(server.requests[2]).toEqual(server.requests[1]);
  });

  it('uses the clock of DynamoDB if its own is far off', async () => {
    const ask = await authorizer();
    const hourAhead = nowSeconds + 3_600;
    const ahead = { minuteWindow: hourAhead - (hourAhead % 60), minuteCount: 59, dayCount: 59 };
    const dayWindow = hourAhead - (hourAhead % 86_400);
    const headers = { date: new Date(hourAhead * 1_000).toUTCString() };
    server.answers.push(
      { headers, body: { Item: ownerItem({ ...ahead, dayWindow }) } },
      { headers, body: { Attributes: ownerItem({ ...ahead, dayWindow, minuteCount: 60 }) } },
    );

    const { context } = await ask();

    // By the machine's own clock the window would be void, and would have been replaced.
    expect(server.requests[1]?.input.UpdateExpression).toContain(
      'minuteCount = minuteCount + :one',
    );
    expect(Number(context?.reset)).toBe(ahead.minuteWindow + 60);
    expect(Number(context?.retryAfter)).toBeLessThanOrEqual(61);
  });

  it('fails within three seconds when DynamoDB refuses connections, and not as 401', async () => {
    const ask = await authorizer(await refusingEndpoint());

    const { result, elapsedMs } = await fastForward(() => ask().catch((error) => error));

    expect(String(result)).toMatch(/ECONNREFUSED/);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it('fails within about four seconds, two an attempt, when DynamoDB never answers', async () => {
    const ask = await authorizer();
    server.answers.push('none', 'none');

    const { result, elapsedMs } = await fastForward(() => ask().catch((error) => error));

    expect(result).toMatchObject({ name: 'TimeoutError' });
    expect(elapsedMs).toBeLessThan(6_000);
    expect(server.requests).toHaveLength(2);
  });

  it('fails, not as 401, when DynamoDB throttles every attempt', async () => {
    const ask = await authorizer();
    const throttled = failureAnswer('ProvisionedThroughputExceededException');
    server.answers.push(throttled, throttled);

    await expect(ask()).rejects.toThrow('ProvisionedThroughputExceededException');

    expect(server.requests).toHaveLength(2);
  });
});
