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

/** What the outputs of a stack do not say about a stage. */
interface Surroundings extends Pick<KeyStage, 'gateway' | 'now' | 'operator'> {
  /** A client that no other stage uses, because the SDK stores the options of the document client in it. */
  readonly dynamodb: DynamoDBClient;
  /** @default - nothing is awaited, because a local run knows a new gateway key at once */
  readonly settle?: KeyStage['settle'] | undefined;
}

/**
 * A stage with the names from the outputs of its stack. The id of a usage plan is read when it is used, so that a
 * checkout with one more plan than the stage can still revoke keys.
 */
export function keyStage(
  stage: StageName,
  output: (name: OutputName) => string,
  { dynamodb, settle = async () => {}, ...others }: Surroundings,
): KeyStage {
  return {
    ...others,
    settle,
    // Only for owners and keys, whose numbers are far below 2^53. It would round the larger numbers of orders.
    documents: DynamoDBDocumentClient.from(dynamodb, {
      marshallOptions: { removeUndefinedValues: true },
    }),
    apiKeysTable: output('ApiKeysTableName'),
    ownersTable: output('OwnersTableName'),
    plans: JSON.parse(output('Plans')),
    usagePlanId: (plan) => output(usagePlanOutput(plan)),
    stackName: stackName(stage),
    tokenPrefix: stageSettings(stage).apiKeyPrefix,
  };
}
