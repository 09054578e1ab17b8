import { type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it, jest } from '@jest/globals';
import { ApiError } from '../../../lambdas/contract/errors.ts';
import {
  asServiceError,
  createDynamoDbClient,
  type RetryStrategy,
} from '../../../lambdas/runtime/dynamodb.ts';
import { answer, contentType, DynamodbProxy } from '../../helpers/dynamodb/dynamodb-proxy.ts';
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

const getOrder = new GetItemCommand({ TableName: 'orders', Key: { id: { N: '1' } } });
const newClient = () => createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 2_000 });

/** The requests that a client would send for a command, none of which leaves this process. */
async function requestsOf(client: DynamoDBClient): Promise<SignedRequest[]> {
  const requests: SignedRequest[] = [];
  const capture = () => async (parameters: unknown) => {
    requests.push((parameters as { request: SignedRequest }).request);
    return { response: {}, output: { $metadata: {} } };
  };
  client.middlewareStack.add(capture as never, { step: 'finalizeRequest', priority: 'low' });
  await client.send(getOrder);
  return requests;
}

describe('the DynamoDB client', () => {
  it("signs for the Region's own endpoint and states its attempts, whatever a configuration file contains", async () => {
    const requests = await requestsOf(newClient());

    expect(requests).toMatchObject([
      { protocol: 'https:', hostname: 'dynamodb.eu-central-1.amazonaws.com' },
    ]);
    const { authorization, ...headers } = requests[0]!.headers;
    expect(authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=test\/\d{8}\/eu-central-1\/dynamodb\/aws4_request,/,
    );
    expect(headers['user-agent']).not.toContain('another-application');
    expect(headers['amz-sdk-request']).toBe('attempt=1; max=2');
  });

  it('repeats a request whose response stalls half-way, after the time for one attempt', async () => {
    await using dynamodb = await DynamodbProxy.start(answer({}));
    dynamodb.next.push(({ outgoing }) => outgoing.writeHead(200, contentType).write('{'));
    process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamodb.url;
    const client = createDynamoDbClient({ maxAttempts: 2, requestTimeoutMs: 500 });
    delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
    const sinceMs = performance.now();

    await client.send(getOrder);

    expect(dynamodb.requests).toHaveLength(2);
    // Socket timers have no fake clock.
    expect(performance.now() - sinceMs).toBeLessThan(4_500);
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

  it.each<[string, object]>([
    ['a throttled table', { name: 'ProvisionedThroughputExceededException' }],
    ['a throttled account', { name: 'RequestLimitExceeded' }],
    ['a table that is being changed', { name: 'LimitExceededException' }],
    ['no response in time', { name: 'TimeoutError' }],
    [
      'a status of 500 with an unknown name',
      { $fault: 'server', $metadata: { httpStatusCode: 500 } },
    ],
    [
      'an error without a name',
      { name: 'Unknown', $fault: 'client', $metadata: { httpStatusCode: 400 } },
    ],
    ['a refused connection', { code: 'ECONNREFUSED' }],
  ])('makes a 503 of %s', (_name, traits) => {
    const cause = errorWith(traits);

    const error = asServiceError(cause);

    expect(error).toBeInstanceOf(ApiError);
    const headers = { 'Retry-After': '1' };
    expect(error).toMatchObject({ code: 'service_unavailable', cause, headers });
  });

  it.each<[string, unknown]>([
    ['a status of 499', errorWith({ $fault: 'client', $metadata: { httpStatusCode: 499 } })],
    ["an error of Node's own", errorWith({ code: 'ERR_INVALID_ARG_TYPE' })],
    ['a value that is no error', { name: 'ThrottlingException' }],
    ['undefined', undefined],
  ])('leaves %s as it is', (_name, error) => {
    expect(asServiceError(error)).toBe(error);
  });
});
