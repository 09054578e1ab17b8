import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';

/** What the SDK asks before it sends a request again. */
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
 * Repeats a request that was throttled or whose answer was lost, a bounded number of times.
 *
 * The SDK's own strategy also draws each repetition from a budget, which only an answer with success
 * refills. A conditional write whose answer was lost is repeated and finds that its condition does
 * not hold any more: it has been carried out, and yet it refills nothing. After some hundred of
 * these, an execution environment would repeat nothing for the rest of its life.
 *
 * @param maxAttempts how often a request is sent at the most
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

/** Exponential, with full jitter: requests that failed together do not return together. */
function delayMs(count: number, { errorType }: RetryErrorInfo): number {
  const baseMs = errorType === 'THROTTLING' ? throttledDelayMs : firstDelayMs;
  return Math.random() * Math.min(longestDelayMs, baseMs * 2 ** (count - 1));
}

function retryToken(count: number, milliseconds: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => milliseconds };
}
