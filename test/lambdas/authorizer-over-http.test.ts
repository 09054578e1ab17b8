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
import {
  type CannedHttpDynamodb,
  failureAnswer,
  startCannedHttpDynamodb,
} from '../helpers/canned-http-dynamodb.ts';
import { type CapturedLines, captureLines } from '../helpers/captured-lines.ts';
import { authorizerEvent, lambdaContext } from '../helpers/events.ts';
import { functionEnvironment } from '../helpers/function-environment.ts';
import { exampleToken, keyHash, keyItem } from '../helpers/key-items.ts';

const nowSeconds = Math.floor(Date.now() / 1_000);
const windows = {
  minuteWindow: nowSeconds - (nowSeconds % 60) + 3_600,
  dayWindow: nowSeconds - (nowSeconds % 86_400) + 86_400,
};
const admitted = { body: { Attributes: keyItem({ ...windows, minuteCount: 1, dayCount: 1 }) } };
const full = keyItem({ ...windows, minuteCount: 60, dayCount: 60 });
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
  it('costs one round trip on the steady path, the first request of all included', async () => {
    const ask = await authorizer();
    server.answers.push(admitted, admitted, admitted);

    for (let request = 0; request < 3; request++) await ask();

    expect(server.requests.map(({ operation }) => operation)).toEqual(Array(3).fill('UpdateItem'));
    expect(server.requests[0]?.input).toMatchObject({ Key: { keyHash: { S: keyHash } } });
  });

  it('reads the old item out of a failed condition', async () => {
    const ask = await authorizer();
    server.answers.push(failureAnswer('ConditionalCheckFailedException', { Item: full }), {
      body: { Attributes: full },
    });

    const { context } = await ask();

    expect(context).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(server.requests).toHaveLength(2);
  });

  it('sends the write again when its answer is lost', async () => {
    const ask = await authorizer();
    server.answers.push('lost', admitted);

    const result = await ask();

    expect(result.policyDocument.Statement).toMatchObject([{ Effect: 'Allow' }]);
    expect(server.requests[1]).toEqual(server.requests[0]);
  });

  it('fails within three seconds when DynamoDB refuses connections, and not as 401', async () => {
    const ask = await authorizer(await refusingEndpoint());

    const startedAtMs = performance.now();
    await expect(ask()).rejects.toThrow(/ECONNREFUSED/);

    expect(performance.now() - startedAtMs).toBeLessThan(3_000);
  });

  it('fails within about four seconds, two an attempt, when DynamoDB never answers', async () => {
    const ask = await authorizer();
    server.answers.push('none', 'none');

    const startedAtMs = performance.now();
    await expect(ask()).rejects.toMatchObject({ name: 'TimeoutError' });

    expect(performance.now() - startedAtMs).toBeLessThan(6_000);
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
