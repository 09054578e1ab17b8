import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type OutputName, stackName } from '../../../lib/settings/names.ts';
import { isStageName, type StageName, stageNames } from '../../../lib/settings/stages.ts';
import { OperatorError } from '../../shared/errors.ts';
import { apiGatewayKeys } from './api-gateway-keys.ts';
import { callLimitSettings, withCallLimits } from './call-limits.ts';
import { documentClient, type KeyStore, keyStoreOf } from './key-store.ts';
import { labelOf, refuseWrongTarget, type Target } from './target.ts';

/** A stage, with everything that the commands need of it. */
export interface StageConnection extends KeyStore {
  readonly dynamodb: DynamoDBClient;
  /** A client that sends each call only once, for callers with retries of their own. */
  readonly singleAttemptClient: DynamoDBClient;
  readonly ordersTable: string;
  /** The name of the target in messages. */
  readonly label: string;
  /** The stage; a local service also runs one. */
  readonly stage: StageName;
}

/**
 * Connects to a stage. Its tables and usage plans are taken from the outputs of its stack.
 *
 * @throws OperatorError when there is no such stage, or it does not answer
 */
export async function connect(target: Target, now: () => number): Promise<StageConnection> {
  refuseWrongTarget(target);
  const settings = clientSettings(target);
  const label = labelOf(target);
  const stack = await describeStack(withCallLimits(new CloudFormationClient(settings)), target);
  const output = outputReader(stack, label);
  const stage = stageOf(stack.StackName, label);
  return {
    ...keyStoreOf(stage, output),
    dynamodb: withCallLimits(new DynamoDBClient(settings)),
    singleAttemptClient: withCallLimits(new DynamoDBClient({ ...settings, maxAttempts: 1 })),
    documents: documentClient(withCallLimits(new DynamoDBClient(settings))),
    gateway: apiGatewayKeys(withCallLimits(new APIGatewayClient(settings))),
    ordersTable: output('OrdersTableName'),
    now,
    label,
    stage,
  };
}

/** The settings of every client of AWS, or of the local service. */
export function clientSettings({ local }: Target) {
  if (local === undefined) return callLimitSettings();
  // The local service requires a signature but does not verify it, so any credentials will do.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    ...callLimitSettings(),
    endpoint: labelOf({ local }),
    region: 'us-east-1',
    credentials,
    // The SDK takes these from the user's environment and AWS configuration, and then refuses an endpoint.
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  };
}

async function describeStack(client: CloudFormationClient, target: Target): Promise<Stack> {
  const named = isStageName(target.stage) ? { StackName: stackName(target.stage) } : {};
  const { Stacks: [stack] = [] } = await client.send(new DescribeStacksCommand(named));
  if (stack) return stack;
  throw new OperatorError(`${labelOf(target)}: there is no stack here`, {
    remedy: "is it the store's service?",
  });
}

/** Derives the stage from the name of its stack, which a local run also has. */
function stageOf(name: string | undefined, label: string): StageName {
  const stage = stageNames.find((each) => stackName(each) === name);
  if (stage) return stage;
  throw new OperatorError(`${label}: its stack is ${name}, which is none of this version's stages`);
}

function outputReader(stack: Stack, label: string): (name: OutputName) => string {
  return (name) => {
    const value = stack.Outputs?.find((output) => output.OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new OperatorError(`${label}: the stack has no output ${name}`, {
      remedy: 'it is of another version: deploy it again',
    });
  };
}
