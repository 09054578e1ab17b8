import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { stackName, usagePlanOutput } from '../../lib/settings/names.ts';
import { type PlanName, planNames } from '../../lib/settings/plans.ts';
import {
  isStageName,
  type StageName,
  stageConfiguration,
  stageNames,
} from '../../lib/settings/stages.ts';
import { OperatorError, reasonOf, ServiceError } from '../../shared/errors.ts';
import { apiGatewayKeys } from './api-gateway-keys.ts';
import { bounded, boundedSettings } from './bounded-client.ts';
import { explainFailure } from './explain-failure.ts';
import { documentClient, type KeyStore } from './key-store.ts';
import { labelOf, refuseWrongTarget, type Target } from './target.ts';

/** One stage, with what every command needs of it. */
export interface StageConnection extends KeyStore {
  readonly dynamodb: DynamoDBClient;
  /** Sends each call once, for a caller that repeats its calls itself. */
  readonly impatient: DynamoDBClient;
  readonly ordersTable: string;
  readonly baseUrl: string;
  /** The target as a message names it. */
  readonly label: string;
  /** Which stage it is: a local service runs one too. */
  readonly stage: StageName;
}

/**
 * Finds a stage's tables and usage plans through its stack's outputs.
 * @throws OperatorError when there is no such stage, or it does not answer
 */
export async function connect(target: Target, now: () => number): Promise<StageConnection> {
  refuseWrongTarget(target);
  const settings = clientSettings(target);
  const label = labelOf(target);
  const stack = await describeStack(bounded(new CloudFormationClient(settings)), target);
  const output = outputReader(stack, label);
  const stage = stageOf(stack.StackName, label);
  return {
    dynamodb: bounded(new DynamoDBClient(settings)),
    impatient: bounded(new DynamoDBClient({ ...settings, maxAttempts: 1 })),
    documents: documentClient(bounded(new DynamoDBClient(settings))),
    gateway: apiGatewayKeys(bounded(new APIGatewayClient(settings))),
    apiKeysTable: output('ApiKeysTableName'),
    ownersTable: output('OwnersTableName'),
    ordersTable: output('OrdersTableName'),
    baseUrl: output('BaseUrl'),
    usagePlanIds: Object.fromEntries(
      planNames.map((name) => [name, output(usagePlanOutput(name))]),
    ) as Record<PlanName, string>,
    stackName: stack.StackName!,
    tokenPrefix: stageConfiguration(stage, {}).apiKeyPrefix,
    now,
    label,
    stage,
  };
}

function clientSettings({ local }: Target) {
  if (local === undefined) return boundedSettings();
  // The local service checks no signature, but the SDK will not send without one.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return { ...boundedSettings(), endpoint: labelOf({ local }), region: 'us-east-1', credentials };
}

async function describeStack(client: CloudFormationClient, target: Target): Promise<Stack> {
  const { stage } = target;
  const label = labelOf(target);
  try {
    const named = isStageName(stage) ? { StackName: stackName(stage) } : {};
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand(named));
    if (stack) return stack;
  } catch (error) {
    if (isStageName(stage) && /does not exist/.test(reasonOf(error))) throw noStack(stage, error);
    throw (
      explainFailure(error, target) ??
      new OperatorError(`${label}: ${reasonOf(error)}`, { cause: error })
    );
  }
  throw new OperatorError(`${label}: there is no stack here`, {
    remedy: "is it the store's service?",
  });
}

function noStack(stage: StageName, cause: unknown): ServiceError {
  const name = stackName(stage);
  return new ServiceError(
    'noSuchStack',
    `stage ${stage}: there is no stack ${name} in this account and Region`,
    {
      cause,
      remedy: `deploy it with "npx cdk deploy ${name}", or correct AWS_PROFILE and AWS_REGION`,
    },
  );
}

/** A stack's name tells its stage, also that of a local run. */
function stageOf(name: string | undefined, label: string): StageName {
  const stage = stageNames.find((each) => stackName(each) === name);
  if (stage) return stage;
  throw new OperatorError(`${label}: its stack is ${name}, which is none of this version's stages`);
}

function outputReader(stack: Stack, label: string): (name: string) => string {
  return (name) => {
    const value = stack.Outputs?.find((output) => output.OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new OperatorError(`${label}: the stack has no output ${name}`, {
      remedy: 'it is of another version: deploy it again',
    });
  };
}
