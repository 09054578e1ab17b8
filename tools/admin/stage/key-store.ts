import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type OutputName, stackName, usagePlanOutput } from '../../../lib/settings/names.ts';
import { forEachPlan, type PlanName } from '../../../lib/settings/plans.ts';
import { type StageName, stageSettings } from '../../../lib/settings/stages.ts';

/** The tables and services that store a stage's owners and keys, with their clients. */
export interface KeyStore {
  readonly documents: DynamoDBDocumentClient;
  readonly gateway: KeyGateway;
  /** The table of the authorizer: an item per owner with its limits, counters and keys. */
  readonly apiKeysTable: string;
  /** The table of the operators: the owners' names and secrets, and the details of their keys. */
  readonly ownersTable: string;
  readonly usagePlanIds: Readonly<Record<PlanName, string>>;
  /** The prefix of this stage's gateway keys, which distinguishes them within the account. */
  readonly stackName: string;
  readonly tokenPrefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * A stage's key store without its clients.
 *
 * @param output returns an output of the stage's stack
 */
export function keyStoreOf(
  stage: StageName,
  output: (name: OutputName) => string,
): Omit<KeyStore, 'documents' | 'gateway' | 'now'> {
  return {
    apiKeysTable: output('ApiKeysTableName'),
    ownersTable: output('OwnersTableName'),
    usagePlanIds: forEachPlan((name) => output(usagePlanOutput(name))),
    stackName: stackName(stage),
    tokenPrefix: stageSettings(stage).apiKeyPrefix,
  };
}

/**
 * Creates a document client for the two tables. It converts numbers to JavaScript numbers, which is
 * exact here, because all of them are counts and times far below 2^53. It must not be used for
 * orders, whose ids are larger.
 *
 * @param dynamodb a client that no other document client uses, because the SDK stores the options of
 *   a document client in it
 */
export function documentClient(dynamodb: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(dynamodb, {
    marshallOptions: { removeUndefinedValues: true },
  });
}

/**
 * The operations of API Gateway's control plane that the key store needs, under API Gateway's names.
 * `apiGatewayKeys` implements them with the SDK's client, and a local run's control plane implements
 * them in process.
 *
 * The *value* of a gateway key is always an owner's id, never a bearer token.
 */
export interface KeyGateway {
  /** Fails if a key with this value exists, because values are unique in an account and Region. */
  createApiKey(key: {
    name: string;
    value: string;
    enabled: true;
    tags: Record<string, string>;
  }): Promise<{ id: string }>;
  /** The gateway keys whose names start with a text. Names are not unique in API Gateway. */
  findApiKeys(namePrefix: string): Promise<{ id: string; name: string }[]>;
  /** Also succeeds if the key does not exist. */
  deleteApiKey(key: { apiKey: string }): Promise<void>;
  /** Also succeeds if the key is already in the usage plan. */
  createUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** Also succeeds if the key is not in the usage plan. */
  deleteUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** The ids of the usage plans that the gateway key is in. */
  findUsagePlans(key: { keyId: string }): Promise<string[]>;
  /** The used and the remaining quota of each day, by the ids or the values of a plan's gateway keys. */
  getUsage(asked: {
    usagePlanId: string;
    keyId?: string | undefined;
    startDate: string;
    endDate: string;
  }): Promise<Record<string, number[][]>>;
}

/** `keyId` is API Gateway's id of its own key, not the key id of this service. */
interface UsagePlanMember {
  usagePlanId: string;
  keyId: string;
}
