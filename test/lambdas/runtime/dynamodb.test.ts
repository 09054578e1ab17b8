import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { ApiError } from '../../../lambdas/contract/errors.ts';
import {
  asServiceError,
  createDynamoDbClient,
  type RetryStrategy,
} from '../../../lambdas/runtime/dynamodb.ts';
import {
  answer,
  contentType,
  DynamodbProxy,
  type Reply,
} from '../../helpers/dynamodb/dynamodb-proxy.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { temporaryDirectoryOfFile } from '../../helpers/temporary-directory.ts';

interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly headers: Record<string, string>;
}

/** Settings that the SDK would take from a machine's own configuration. */
const configuration = `[default]
region = us-west-2
endpoint_url = http://127.0.0.1:9
use_dualstack_endpoint = true
use_fips_endpoint = true
account_id_endpoint_mode = required
sdk_ua_app_id = another-application
`;

// Jest gives each test file its own environment.
Object.assign(process.env, functionEnvironment, {
  AWS_CONFIG_FILE: temporaryDirectoryOfFile().write('config', configuration),
});

// The certificate has the name localhost, and is also valid for 127.0.0.1.
const name = [{ name: 'commonName', value: 'localhost' }];
const { private: key, cert } = await generate(name, { keyType: 'ec', algorithm: 'sha256' });
const trusted = getCACertificates();
setDefaultCACertificates([...trusted, cert]);
afterAll(() => setDefaultCACertificates(trusted));

const getOrder = new GetItemCommand({ TableName: 'orders', Key: { id: { N: '1' } } });

function clientOf(url: string, requestTimeoutMs: number) {
  process.env.AWS_ENDPOINT_URL_DYNAMODB = url;
  const client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs });
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  return client;
}

describe('the DynamoDB client', () => {
  it("signs for the Region's own endpoint and states its attempts, whatever a configuration file contains", async () => {
    const client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 });
    let sent: SignedRequest;
    const capture = () => async (parameters: { request: SignedRequest }) => {
      sent = parameters.request;
      return { response: {}, output: { $metadata: {} } };
    };
    client.middlewareStack.add(capture as never, { step: 'finalizeRequest', priority: 'low' });

    await client.send(getOrder);

    const { protocol, hostname, headers } = sent!;
    expect(`${protocol}//${hostname}`).toBe('https://dynamodb.eu-central-1.amazonaws.com');
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-central-1\/dynamodb\/aws4_request,/,
    );
    expect(headers['user-agent']).not.toContain('another-application');
    expect(headers['amz-sdk-request']).toBe('attempt=1; max=2');
  });

  it('repeats a request whose response stalls half-way, after the time for one attempt', async () => {
    await using dynamodb = await DynamodbProxy.start(answer({}));
    dynamodb.next.push(({ outgoing }) => outgoing.writeHead(200, contentType).write('{'));
    const client = clientOf(dynamodb.url, 500);
    const sinceMs = performance.now();

    await client.send(getOrder);

    expect(dynamodb.requests).toHaveLength(2);
    // This uses the real clock, because socket timers have no fake clock.
    expect(performance.now() - sinceMs).toBeLessThan(4_500);
    client.destroy();
  });

  it.each([
    ['uses its connections again after a short pause', 4_000, true],
    [
      'closes its connections after five seconds, because a freeze may have ended them',
      5_001,
      false,
    ],
  ])('%s', async (_, pauseMs, isReused) => {
    const ports: (number | undefined)[] = [];
    const reply: Reply = (call) => {
      ports.push(call.incoming.socket.remotePort);
      answer({})(call);
    };
    await using dynamodb = await DynamodbProxy.start(reply, { certificate: { key, cert } });
    const client = clientOf(dynamodb.url, 5_000);
    const sinceMs = Date.now();
    const now = jest.spyOn(Date, 'now').mockReturnValue(sinceMs);
    await Promise.all([1, 2, 3, 4].map(() => client.send(getOrder)));

    now.mockReturnValue(sinceMs + pauseMs);
    await client.send(getOrder);
    now.mockRestore();

    const last = ports.pop();
    expect(new Set(ports).size).toBe(4);
    expect(ports.includes(last)).toBe(isReused);
    client.destroy();
  });
});

describe('retries', () => {
  type ErrorType = 'THROTTLING' | 'TRANSIENT' | 'CLIENT_ERROR' | 'SERVER_ERROR';

  /** The longest waits before each retry of a request that keeps failing. */
  async function waits(errorType: ErrorType, maxAttempts: number): Promise<number[]> {
    const client = createDynamoDbClient({ maxAttempts, requestTimeoutMs: 2_000 });
    const retries = (await client.config.retryStrategy()) as RetryStrategy;
    const random = jest.spyOn(Math, 'random').mockReturnValue(1);
    const found: number[] = [];
    try {
      for (let token = await retries.acquireInitialRetryToken(''); ; ) {
        token = await retries.refreshRetryTokenForRetry(token, { errorType });
        found.push(token.getRetryDelay());
      }
    } catch (error) {
      expect(error).toMatchObject({ message: 'The request is not repeated.' });
      return found;
    } finally {
      random.mockRestore();
    }
  }

  it.each<[ErrorType, number[]]>([
    ['THROTTLING', [200, 400, 800, 1_000, 1_000]],
    ['TRANSIENT', [50, 100, 200, 400, 800]],
    ['CLIENT_ERROR', []],
    ['SERVER_ERROR', []],
  ])(
    'wait twice as long each time, up to a second, until the last attempt: %s',
    async (type, expected) => {
      expect(await waits(type, 6)).toEqual(expected);
    },
  );
});

describe('asServiceError', () => {
  const errorWith = (traits: object) => Object.assign(new Error('odd'), traits);

  it.each<object>([
    { name: 'ProvisionedThroughputExceededException' },
    { name: 'RequestLimitExceeded' },
    { name: 'LimitExceededException' },
    { name: 'TimeoutError' },
    { $fault: 'server', $metadata: { httpStatusCode: 500 } },
    { code: 'ECONNREFUSED' },
  ])('makes a 503 of an error with %j', (traits) => {
    const cause = errorWith(traits);

    const error = asServiceError(cause);

    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'service_unavailable', cause });
  });

  it.each<[string, unknown]>([
    ['a status of 499', errorWith({ $fault: 'client', $metadata: { httpStatusCode: 499 } })],
    ["an error of Node's own", errorWith({ code: 'ERR_INVALID_ARG_TYPE' })],
    ['a value that is no error', { name: 'ThrottlingException' }],
  ])('leaves %s as it is', (_name, error) => {
    expect(asServiceError(error)).toBe(error);
  });
});
