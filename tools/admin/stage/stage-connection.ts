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

/** The clients and names of a stage that the commands need. */
export interface StageConnection extends KeyStore {
  readonly dynamodb: DynamoDBClient;
  /** A client that sends each call only once, for callers that repeat calls themselves. */
  readonly singleAttemptClient: DynamoDBClient;
  readonly ordersTable: string;
  /** The name of the target in messages. */
  readonly label: string;
  /** The stage; a local service also runs one. */
  readonly stage: StageName;
}

/**
 * Connects to a stage, whose tables and usage plans its stack's outputs name.
 *
 * @throws OperatorError if there is no such stage, or it does not respond
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
  // The local service requires a signature but does not verify it.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  return {
    ...callLimitSettings(),
    endpoint: labelOf({ local }),
    region: 'us-east-1',
    credentials,
    // Otherwise the SDK may take these from the user's AWS configuration, and then refuse an endpoint.
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
    remedy: 'check that it is this service',
  });
}

/** Finds the stage by the name of its stack. A local run has one, too. */
function stageOf(name: string | undefined, label: string): StageName {
  const stage = stageNames.find((each) => stackName(each) === name);
  if (stage) return stage;
  throw new OperatorError(`${label}: its stack is ${name}, which is not a stage of this version`);
}

function outputReader(stack: Stack, label: string): (name: OutputName) => string {
  return (name) => {
    const value = stack.Outputs?.find((output) => output.OutputKey === name)?.OutputValue;
    if (value) return value;
    throw new OperatorError(`${label}: the stack has no output ${name}`, {
      remedy: 'it was deployed by another version: deploy it again',
    });
  };
}
