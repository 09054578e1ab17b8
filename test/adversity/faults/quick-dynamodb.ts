import {
  createDynamoDbClient as createPatientClient,
  type DynamoDbClientSettings,
} from '../../../lambdas/shared/dynamodb.ts';

export { asServiceError, clockOf, isTemporary } from '../../../lambdas/shared/dynamodb.ts';

/** By how much everything that waits is less patient in these tests. */
export const haste = 4;

/** The client of the functions, with a part of its patience: a hanging table costs less time. */
export function createDynamoDbClient(settings: DynamoDbClientSettings) {
  const requestTimeoutMs = settings.requestTimeoutMs / haste;
  return createPatientClient({ ...settings, requestTimeoutMs });
}
