import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { PlanName } from '../../lib/settings/plans.ts';
import type { KeyGateway } from './key-gateway.ts';

/** Where a stage's keys live, and the clients to reach it. */
export interface KeyStore {
  readonly dynamodb: DynamoDBClient;
  readonly gateway: KeyGateway;
  readonly apiKeysTable: string;
  readonly usagePlanIds: Readonly<Record<PlanName, string>>;
  /** Names the gateway keys of this stage apart from another stage's in the same account. */
  readonly stackName: string;
  readonly tokenPrefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The name of a key's counterpart in API Gateway. */
export function gatewayKeyName(store: KeyStore, keyId: string): string {
  return `${store.stackName}-${keyId}`;
}
