import {
  createDynamoDbClient as createSlowerClient,
  type DynamoDbClientSettings,
} from '../../../lambdas/shared/dynamodb.ts';

export { asServiceError, clockOf, isTemporary } from '../../../lambdas/shared/dynamodb.ts';

/** The divisor of all timeouts in these tests. */
export const timeoutDivisor = 4;

/** The functions' client with shorter timeouts, so that a table that hangs takes less time. */
export function createDynamoDbClient(settings: DynamoDbClientSettings) {
  const requestTimeoutMs = settings.requestTimeoutMs / timeoutDivisor;
  return createSlowerClient({ ...settings, requestTimeoutMs });
}
