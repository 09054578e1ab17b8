import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { boundedRetries } from './bounded-retries.ts';
import { dynamoDbEndpoint, functionCredentials, requiredVariable } from './environment.ts';
import { ServiceUnavailableError } from './errors.ts';

const connectionTimeoutMs = 1_000;

export interface DynamoDbClientSettings {
  /** At least 2: the first call after a thaw may find its kept connection closed. */
  readonly maxAttempts: number;
  /** Of one attempt: far above what DynamoDB takes, far below what the caller waits. */
  readonly requestTimeoutMs: number;
}

/**
 * A DynamoDB client that answers or fails within about `maxAttempts` times `requestTimeoutMs`, so
 * that a table that cannot be reached becomes a 503 and never a hanging request.
 *
 * Everything that the SDK would otherwise look for at the first call (credential providers, the
 * shared configuration files) is given: in Lambda it is all in the environment.
 */
export function createDynamoDbClient({
  maxAttempts,
  requestTimeoutMs,
}: DynamoDbClientSettings): DynamoDBClient {
  return new DynamoDBClient({
    region: requiredVariable('AWS_REGION'),
    endpoint: dynamoDbEndpoint(),
    ignoreConfiguredEndpointUrls: true,
    credentials: async () => functionCredentials(),
    maxAttempts,
    retryStrategy: boundedRetries(maxAttempts),
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    endpointDiscoveryEnabled: false,
    accountIdEndpointMode: 'disabled',
    authSchemePreference: [],
    userAgentAppId: async () => undefined,
    requestHandler: {
      connectionTimeout: connectionTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      // Ends a response that stops arriving half-way, which the request timeout no longer sees.
      socketTimeout: requestTimeoutMs,
    },
  });
}

/** How far this machine's clock may be from DynamoDB's before it is not believed. */
const clockDifferenceMs = 60_000;

/**
 * Unix time in milliseconds: this machine's, or DynamoDB's where the two differ by more than a
 * minute. The SDK notes the difference with every answer, from its `Date` header, to sign with.
 */
export function clockOf(client: DynamoDBClient): () => number {
  return () => {
    const { systemClockOffset } = client.config;
    const isOff = Math.abs(systemClockOffset) > clockDifferenceMs;
    return Date.now() + (isOff ? systemClockOffset : 0);
  };
}

// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const temporaryErrors = new Set([
  'InternalServerError',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
  'TransactionConflictException',
]);

/** `ServiceUnavailableError` where retrying later may help, and otherwise the error itself. */
export function asServiceError(error: unknown): unknown {
  return isTemporary(error) ? new ServiceUnavailableError({ cause: error }) : error;
}

/** Whether the same request may succeed later: a throttled table, or one that cannot be reached. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, $metadata } = error as { code?: unknown; $metadata?: { httpStatusCode?: number } };
  return (
    temporaryErrors.has(error.name) ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    // A system error of the socket or the resolver: there was no answer at all.
    (typeof code === 'string' && /^E[A-Z]/.test(code) && !code.startsWith('ERR_'))
  );
}
