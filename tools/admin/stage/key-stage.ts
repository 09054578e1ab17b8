import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Plans } from '../../../lambdas/keys/plan.ts';
import { type OutputName, stackName, usagePlanOutput } from '../../../lib/settings/names.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { type StageName, stageSettings } from '../../../lib/settings/stages.ts';
import type { KeyGateway } from './key-gateway.ts';

/** The tables, usage plans and clients of a stage that the commands for owners and keys need. */
export interface KeyStage {
  readonly documents: DynamoDBDocumentClient;
  readonly gateway: KeyGateway;
  /** The authorizer's table: one item per owner, with its limits, counters and keys. */
  readonly apiKeysTable: string;
  /** The operators' table: the owners' names and secrets, and the details of their keys. */
  readonly ownersTable: string;
  /** The plans with which the deployed authorizer counts. */
  readonly plans: Plans;
  readonly usagePlanId: (plan: PlanName) => string;
  /** Waits until API Gateway knows a new gateway key. A local run knows it at once. */
  readonly settle: () => Promise<void>;
  /** The stack's name, which is also the prefix of this stage's gateway keys. */
  readonly stackName: string;
  readonly tokenPrefix: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The operator's name, which histories record. */
  readonly operator: string;
}

/**
 * The names of a stage's tables and usage plans, from the outputs of its stack. Each output is read when its name is
 * used. So a checkout with one more plan than the stage can still revoke keys.
 */
export function keyStageOf(
  stage: StageName,
  output: (name: OutputName) => string,
): Omit<KeyStage, 'documents' | 'gateway' | 'now' | 'operator'> {
  return {
    get apiKeysTable() {
      return output('ApiKeysTableName');
    },
    get ownersTable() {
      return output('OwnersTableName');
    },
    get plans() {
      return JSON.parse(output('Plans'));
    },
    usagePlanId: (plan) => output(usagePlanOutput(plan)),
    settle: async () => {},
    stackName: stackName(stage),
    tokenPrefix: stageSettings(stage).apiKeyPrefix,
  };
}

/**
 * Creates a document client for the tables of owners and keys, whose numbers are far below 2^53. Do not use it for
 * orders, because it would round their larger numbers.
 *
 * @param dynamodb a client that no other document client uses, because the SDK stores the options in this client
 */
export function documentClient(dynamodb: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(dynamodb, {
    marshallOptions: { removeUndefinedValues: true },
  });
}
