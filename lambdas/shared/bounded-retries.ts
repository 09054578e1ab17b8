import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** The SDK's interface for deciding whether and when a request is repeated. */
export type RetryStrategy = Extract<
  NonNullable<DynamoDBClientConfig['retryStrategy']>,
  { acquireInitialRetryToken: unknown }
>;
export type RetryToken = Parameters<RetryStrategy['recordSuccess']>[0];
type RetryErrorInfo = Parameters<RetryStrategy['refreshRetryTokenForRetry']>[1];
export type RetryErrorType = RetryErrorInfo['errorType'];

const firstDelayMs = 50;
const throttledDelayMs = 200;
const longestDelayMs = 1_000;
const retriedErrors: readonly RetryErrorType[] = ['THROTTLING', 'TRANSIENT'];

/**
 * A retry strategy that repeats a throttled request, or one whose response was lost, up to a fixed
 * number of attempts.
 *
 * The SDK's own strategy also takes each retry from a token bucket that only successful responses
 * refill. When the response to a conditional write is lost, the retry usually fails its condition,
 * because the first attempt took effect, and so never refills the bucket. After about a hundred of
 * these an execution environment would never retry again.
 *
 * @param maxAttempts the total number of attempts, including the first
 */
export function boundedRetries(maxAttempts: number): RetryStrategy {
  return {
    acquireInitialRetryToken: async () => retryToken(0, 0),
    refreshRetryTokenForRetry: async (token, error) => {
      const count = token.getRetryCount() + 1;
      if (count >= maxAttempts || !retriedErrors.includes(error.errorType)) {
        throw new Error('The request is not repeated.');
      }
      return retryToken(count, delayMs(count, error));
    },
    recordSuccess: () => {},
  };
}

/** Exponential backoff with full jitter, so that requests that failed together are spread out. */
function delayMs(count: number, { errorType }: RetryErrorInfo): number {
  const baseMs = errorType === 'THROTTLING' ? throttledDelayMs : firstDelayMs;
  return Math.random() * Math.min(longestDelayMs, baseMs * 2 ** (count - 1));
}

function retryToken(count: number, milliseconds: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => milliseconds };
}
