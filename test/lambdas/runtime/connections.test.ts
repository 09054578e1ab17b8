import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { createDynamoDbClient } from '../../../lambdas/runtime/dynamodb.ts';
import { answer, DynamodbProxy } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { fastForward } from '../../helpers/fast-forward.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { type Network, networkBefore } from '../../helpers/network.ts';

// The certificate has the name localhost, and is also valid for 127.0.0.1.
const name = [{ name: 'commonName', value: 'localhost' }];
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
const trusted = getCACertificates();
const requestTimeoutMs = 5_000;
const getOrder = new GetItemCommand({ TableName: 'orders', Key: { id: { N: '1' } } });
let dynamodb: DynamodbProxy;
let network: Network;
let client: DynamoDBClient;

beforeAll(async () => {
  setDefaultCACertificates([...trusted, cert]);
  dynamodb = await DynamodbProxy.start(answer({}), { certificate: { key, cert } });
});

beforeEach(async () => {
  network = await networkBefore(dynamodb.url);
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: network.url });
  client = createDynamoDbClient({ maxAttempts: 1, requestTimeoutMs });
});

afterEach(async () => {
  client.destroy();
  await network[Symbol.asyncDispose]();
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  await dynamodb[Symbol.asyncDispose]();
});

/** Opens four connections. */
async function openConnections(): Promise<void> {
  await Promise.all([1, 2, 3, 4].map(() => client.send(getOrder)));
  expect(network.connections).toBe(4);
}

/** Sends a request after an idle time. @returns its error, if any, and its duration */
function sendAfter(idleMs: number) {
  const sinceMs = Date.now();
  return fastForward(() => {
    jest.setSystemTime(sinceMs + idleMs);
    return client.send(getOrder).catch((error: unknown) => error);
  });
}

it('connections that were lost while idle for more than five seconds cost no time', async () => {
  await openConnections();
  network.lose();

  const { result, elapsedMs } = await sendAfter(5_001);

  expect(result).not.toMatchObject({ message: expect.anything() });
  expect(elapsedMs).toBeLessThan(requestTimeoutMs);
});

it('connections that were idle for a short time are used again', async () => {
  await openConnections();

  await sendAfter(4_000);

  expect(network.connections).toBe(4);
});
