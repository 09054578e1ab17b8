import { Agent } from 'node:https';
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { ApiError } from '../contract/errors.ts';
import { dynamoDbEndpoint, requiredVariable } from './environment.ts';

/** After a longer pause between requests, a new connection is opened. */
const maxIdleMs = 5_000;
const firstDelayMs = 50;
const throttledDelayMs = 200;
const longestDelayMs = 1_000;

/** The SDK's interface for deciding whether and when a request is repeated. */
export type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { acquireInitialRetryToken: unknown }
>;
type RetryToken = Parameters<RetryStrategy['recordSuccess']>[0];
type RetryErrorInfo = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1];

export interface DynamoDbClientSettings {
  /** The first attempt counts. */
  readonly maxAttempts: number;
  /** The time for one attempt, including the time to connect. DynamoDB needs far less. */
  readonly requestTimeoutMs: number;
}

/**
 * Creates a DynamoDB client whose requests succeed or fail within about `maxAttempts` times `requestTimeoutMs`, so that
 * a table that cannot be reached leads to a 503 instead of a timeout.
 *
 * Every setting that the SDK would otherwise read from shared configuration files is given explicitly. A stub in the
 * bundles takes the credentials from Lambda's variables.
 */
export function createDynamoDbClient({
  maxAttempts,
  requestTimeoutMs,
}: DynamoDbClientSettings): DynamoDBClient {
  const connections = new Agent({ keepAlive: true });
  return new DynamoDBClient({
    region: requiredVariable('AWS_REGION'),
    endpoint: dynamoDbEndpoint(),
    ignoreConfiguredEndpointUrls: true,
    maxAttempts,
    retryStrategy: boundedRetries(maxAttempts, connections),
    defaultsMode: 'standard',
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    endpointDiscoveryEnabled: false,
    accountIdEndpointMode: 'disabled',
    authSchemePreference: [],
    userAgentAppId: async () => undefined,
    requestHandler: {
      httpsAgent: connections,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      // Ends a response that stalls half-way, which the request timeout does not cover.
      socketTimeout: requestTimeoutMs,
    },
  });
}

/**
 * A retry strategy that repeats a request in three cases: it was throttled, its response was lost or cannot be read, or
 * an operator's transaction is writing its item.
 *
 * The SDK's own strategy also takes each retry from a token bucket, which only successful responses refill. If the
 * response to a conditional write is lost, the first attempt took effect, so the retry usually fails its condition, and
 * does not refill the bucket. After about a hundred lost responses, an execution environment would never retry again.
 */
function boundedRetries(maxAttempts: number, connections: Agent): RetryStrategy {
  // By the wall clock, because the monotonic clock can stand still while a virtual machine is paused.
  let lastRequestMs = 0;
  return {
    // The SDK calls this before the first attempt of each request.
    acquireInitialRetryToken: async () => {
      const nowMs = Date.now();
      if (nowMs - lastRequestMs > maxIdleMs) closeIdle(connections);
      lastRequestMs = nowMs;
      return retryToken(0, 0);
    },
    refreshRetryTokenForRetry: async (token, info) => {
      const count = token.getRetryCount() + 1;
      // `TRANSIENT` includes a request that a wrong clock signed. The SDK has corrected the clock.
      const isRetriedBySdk = ['THROTTLING', 'TRANSIENT'].includes(info.errorType);
      const isRepeated = isRetriedBySdk || isTemporary(info.error);
      // The SDK then throws the error of the request.
      if (count >= maxAttempts || !isRepeated) throw new Error('The request is not repeated.');
      return retryToken(count, delayMs(count, info));
    },
    recordSuccess: () => {},
  };
}

/**
 * Closes the idle connections. While Lambda has frozen an environment, a connection can end without a packet that says
 * so, and a request on such a connection would wait for its timeout. A timer cannot close them during a freeze.
 */
function closeIdle({ freeSockets }: Agent): void {
  for (const socket of Object.values(freeSockets).flat()) socket?.destroy();
}

/** Exponential backoff with full jitter, so that requests that failed together are spread out. */
function delayMs(count: number, { errorType }: RetryErrorInfo): number {
  const baseMs = errorType === 'THROTTLING' ? throttledDelayMs : firstDelayMs;
  return Math.random() * Math.min(longestDelayMs, baseMs * 2 ** (count - 1));
}

function retryToken(count: number, milliseconds: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => milliseconds };
}

// The temporary errors with a status of 4xx or none:
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
const temporaryErrors = new Set([
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TimeoutError',
  'TransactionConflictException',
]);

/** Wraps a temporary error in a `service_unavailable`; returns any other error unchanged. */
export function asServiceError(error: unknown): unknown {
  return isTemporary(error) ? new ApiError('service_unavailable', { cause: error }) : error;
}

/** An error of a request. An error of the socket has a code. Any other error has the status of a response. */
interface RequestError extends Error {
  readonly code?: unknown;
  readonly $fault?: string;
  readonly $metadata?: { readonly attempts?: number; readonly httpStatusCode?: number };
}

/** The number of attempts of the request that failed with an error. */
export function attemptsBefore(error: unknown): number {
  return (error as Partial<RequestError>).$metadata?.attempts ?? 1;
}

/** Whether the same request may succeed later. */
function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code, $metadata } = error as RequestError;
  return (
    temporaryErrors.has(name) ||
    ($metadata?.httpStatusCode ?? 0) >= 500 ||
    isUnreadable(error) ||
    // After a system error of the socket or the resolver, such as ECONNREFUSED, there was no response. Node's own
    // errors, such as ERR_INVALID_ARG_TYPE, are excluded, because they are faults of the code.
    (typeof code === 'string' && /^E(?!RR_)[A-Z]/.test(code))
  );
}

/** Whether there was a response that the SDK cannot read, such as a body that ends half-way. */
function isUnreadable(error: Partial<RequestError>): boolean {
  if (error.$metadata?.httpStatusCode === undefined) return false;
  // An error that DynamoDB reported has `$fault`, and is `Unknown` if its name is missing.
  return error.$fault === undefined || error.name === 'Unknown';
}
