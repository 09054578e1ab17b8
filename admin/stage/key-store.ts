import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { PlanName } from '../../lib/settings/plans.ts';
import type { KeyGateway } from './key-gateway.ts';

/** Where a stage's owners and keys live, and the clients to reach it. */
export interface KeyStore {
  readonly documents: DynamoDBDocumentClient;
  readonly gateway: KeyGateway;
  /** What the authorizer needs: an item per owner with its limits, counters and keys. */
  readonly apiKeysTable: string;
  /** What only operators need: the owners' names and secrets, and the details of their keys. */
  readonly ownersTable: string;
  readonly usagePlanIds: Readonly<Record<PlanName, string>>;
  /** Names the gateway keys of this stage apart from another stage's in the same account. */
  readonly stackName: string;
  readonly tokenPrefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * A client that takes and gives plain values. Every number in these two tables is a count or a time
 * far below 2^53; the ids of orders are not, and the commands for orders do not use this client.
 *
 * @param dynamodb a client of its own: the SDK keeps a document client's options with the client
 *   that it is made of, where those of another one would replace them
 */
export function documentClient(dynamodb: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(dynamodb, {
    marshallOptions: { removeUndefinedValues: true },
  });
}
