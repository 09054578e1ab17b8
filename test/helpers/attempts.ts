import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { RetryStrategy } from '../../lambdas/shared/dynamodb.ts';

/** Far more than any client makes. */
const endless = 100;

/** How often a client sends a request whose answers are all lost. */
export async function attemptsOf(client: DynamoDBClient): Promise<number> {
  const retries = (await client.config.retryStrategy()) as RetryStrategy;
  let token = await retries.acquireInitialRetryToken('');
  try {
    while (token.getRetryCount() < endless) {
      token = await retries.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
    }
  } catch {
    // The request is not sent again.
  }
  return token.getRetryCount() + 1;
}
