import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { createDynamoDbClient } from '../../../lambdas/runtime/dynamodb.ts';
import { answer, DynamodbProxy } from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';

// The certificate has the name localhost, and is also valid for 127.0.0.1.
const name = [{ name: 'commonName', value: 'localhost' }];
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
const trusted = getCACertificates();
const getOrder = new GetItemCommand({ TableName: 'orders', Key: { id: { N: '1' } } });
/** The ports of the connections that requests have used. */
const ports: (number | undefined)[] = [];
let dynamodb: DynamodbProxy;

beforeAll(async () => {
  setDefaultCACertificates([...trusted, cert]);
  const reply = answer({});
  dynamodb = await DynamodbProxy.start(
    (call) => {
      ports.push(call.incoming.socket.remotePort);
      reply(call);
    },
    { certificate: { key, cert } },
  );
});

beforeEach(() => {
  ports.length = 0;
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(async () => {
  setDefaultCACertificates(trusted);
  await dynamodb[Symbol.asyncDispose]();
});

it.each([
  ['are used again after a short idle time', 4_000, true],
  [
    'are closed after more than five idle seconds, because a freeze may have ended them',
    5_001,
    false,
  ],
])('Connections %s', async (_, idleMs, isReused) => {
  Object.assign(process.env, functionEnvironment, { AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url });
  const client = createDynamoDbClient({ maxAttempts: 1, requestTimeoutMs: 5_000 });
  const sinceMs = Date.now();
  const now = jest.spyOn(Date, 'now').mockReturnValue(sinceMs);
  await Promise.all([1, 2, 3, 4].map(() => client.send(getOrder)));

  now.mockReturnValue(sinceMs + idleMs);
  await client.send(getOrder);

  const last = ports.pop();
  expect(new Set(ports).size).toBe(4);
  expect(ports.includes(last)).toBe(isReused);
  client.destroy();
});
