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
import { InvalidValueError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { apiGatewayKeys } from './api-gateway-keys.ts';
import { documentClient, type KeyStore } from './key-store.ts';

/** Which service to operate: exactly one of the two. */
export interface Target {
  /** A deployed stage, found through its stack in the Region and account of the environment. */
  stage?: string;
  /** The origin of a running local service, such as `http://127.0.0.1:3000`. */
  local?: string;
}

/** One stage, with what every command needs of it. */
export interface StageConnection extends KeyStore {
  readonly dynamodb: DynamoDBClient;
  readonly ordersTable: string;
  readonly baseUrl: string;
  /** The target as a message names it. */
  readonly label: string;
}

const maxAttempts = 5;

/**
 * Finds a stage's tables and usage plans through its stack's outputs.
 * @throws OperatorError when there is no such stage, or it does not answer
 */
export async function connect(target: Target, now: () => number): Promise<StageConnection> {
  const settings = clientSettings(target);
  const label = target.local ? settings.endpoint! : `stage ${target.stage}`;
  const stack = await describeStack(new CloudFormationClient(settings), target, label);
  const output = outputReader(stack, label);
  return {
    dynamodb: new DynamoDBClient(settings),
    documents: documentClient(new DynamoDBClient(settings)),
    gateway: apiGatewayKeys(new APIGatewayClient(settings)),
    apiKeysTable: output('ApiKeysTableName'),
    ownersTable: output('OwnersTableName'),
    ordersTable: output('OrdersTableName'),
    baseUrl: output('BaseUrl'),
    usagePlanIds: Object.fromEntries(
      planNames.map((name) => [name, output(usagePlanOutput(name))]),
    ) as Record<PlanName, string>,
    stackName: stack.StackName!,
    tokenPrefix: tokenPrefixOf(stack.StackName, label),
    now,
    label,
  };
}

function clientSettings({ stage, local }: Target) {
  if ((stage === undefined) === (local === undefined)) {
    throw new OperatorError(
      `Say which service to operate: exactly one of --stage ${stageNames.join('|')} and --local URL`,
    );
  }
  if (local !== undefined) {
    // The local service checks no signature, but the SDK will not send without one.
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    return { endpoint: originOf(local), region: 'us-east-1', credentials, maxAttempts };
  }
  if (!isStageName(stage)) {
    throw new InvalidValueError('--stage', stage, `one of ${stageNames.join(', ')}`);
  }
  return { maxAttempts };
}

function originOf(url: string): string {
  const { protocol, origin } = URL.parse(url) ?? {};
  if (origin && (protocol === 'http:' || protocol === 'https:')) return origin;
  throw new InvalidValueError(
    '--local',
    url,
    "the service's origin, such as http://127.0.0.1:3000",
  );
}

async function describeStack(
  client: CloudFormationClient,
  { stage }: Target,
  label: string,
): Promise<Stack> {
  try {
    const named = isStageName(stage) ? { StackName: stackName(stage) } : {};
    const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand(named));
    if (stack) return stack;
  } catch (error) {
    throw new OperatorError(
      `${label}: ${explanation(error, isStageName(stage) ? stage : undefined)}`,
      { cause: error },
    );
  }
  throw new OperatorError(`${label}: there is no stack here; is it the store's service?`);
}

function explanation(error: unknown, stage: StageName | undefined): string {
  const reason = reasonOf(error);
  if (stage === undefined) {
    return `no answer (${reason}); start the service with "npm start", or correct --local`;
  }
  if (/does not exist/.test(reason)) {
    return (
      `there is no stack ${stackName(stage)} in this account and Region; deploy it with ` +
      `"npx cdk deploy ${stackName(stage)}", or correct AWS_PROFILE and AWS_REGION`
    );
  }
  return `${reason}; check AWS_PROFILE and AWS_REGION`;
}

/** A stack's name tells its stage, also that of a local run. */
function tokenPrefixOf(name: string | undefined, label: string): string {
  const stage = stageNames.find((each) => stackName(each) === name);
  if (stage) return stageConfiguration(stage, {}).apiKeyPrefix;
  throw new OperatorError(`${label}: its stack is ${name}, which is none of this version's stages`);
}

function outputReader(stack: Stack, label: string): (name: string) => string {
  return (name) => {
    const value = stack.Outputs?.find((output) => output.OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new OperatorError(
      `${label}: the stack has no output ${name}; it is of another version: deploy it again`,
    );
  };
}
