import { setTimeout } from 'node:timers/promises';
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { type OutputName, stackName, stageOfStack } from '../../../lib/settings/names.ts';
import { isStageName, type StageName, stageSettings } from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { callLimitSettings, patientAttempts, withCallLimits } from './call-limits.ts';
import { unlessInterrupted } from './interruption.ts';
import { keyGateway } from './key-gateway.ts';
import { type KeyStage, keyStage } from './key-stage.ts';
import { labelOf, refuseWrongTarget, type Target } from './target.ts';

/** The table of orders. Its items stay in DynamoDB's own JSON, which is exact for every type that programs store. */
export interface OrdersTable {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
}

/** The clients and names of a stage that the commands need. */
export interface StageConnection extends KeyStage {
  readonly orders: OrdersTable;
  /** The stage's name, and its account and Region, or its address. */
  readonly place: string;
}

/** The time after which API Gateway knows a new gateway key. */
const newKeyMs = 10_000;

const toleratedClockMs = 60_000;

/** How a command connects. */
interface Connecting {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Derives the operator's name from the ARN of the credentials; a local service has none. */
  readonly operator: (callerArn?: string) => string;
  /** Ends the calls when it is aborted. */
  readonly interruption?: AbortSignal;
}

/**
 * Connects to a stage or to a local service. The account and the Region of a stage are those in
 * `lib/settings/stages.ts` or, if this file names none, those of the credentials.
 *
 * @throws OperatorError if there is no such stage, or if it is in another account, or its Region is unknown
 */
export async function connect(
  target: Target,
  { now, operator, interruption }: Connecting,
): Promise<StageConnection> {
  refuseWrongTarget(target);
  const { stage } = target;
  const settings = clientSettings(target);
  const label = labelOf(target);
  const sts = withCallLimits(new STSClient(settings), interruption);
  const caller = isStageName(stage) ? await callerIn(stage, sts) : undefined;
  const cloudFormation = withCallLimits(new CloudFormationClient(settings), interruption);
  const stack = await stackOf(target, cloudFormation, caller?.Account);
  // The SDK has computed this difference between the clocks from the response.
  if (caller) refuseWrongClock(cloudFormation.config.systemClockOffset);
  const name = stageOfStack(stack?.StackName);
  if (name === undefined) {
    const problem = `${label} is not a local run of this service`;
    throw new OperatorError(problem, { remedy: 'correct the address' });
  }
  const output = (key: OutputName) => {
    const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value) return value;
    const problem = `${label}: this checkout is not the version that is deployed: the stack has no output ${key}`;
    throw new OperatorError(problem, { remedy: 'check out the deployed commit, or deploy' });
  };
  const patient = { ...settings, maxAttempts: patientAttempts };
  const dynamodb = withCallLimits(new DynamoDBClient(patient), interruption);
  const gateway = keyGateway(withCallLimits(new APIGatewayClient(patient), interruption));
  const settle = caller && (() => unlessInterrupted(() => setTimeout(newKeyMs), interruption));
  return {
    ...keyStage(name, output, { dynamodb, gateway, settle, now, operator: operator(caller?.Arn) }),
    orders: { dynamodb, tableName: output('OrdersTableName') },
    place: caller
      ? `${label} (${caller.Account}, ${await cloudFormation.config.region()})`
      : `stage ${name} at ${label}`,
  };
}

/**
 * The identity of the credentials.
 *
 * @throws OperatorError if it is not in the account of the stage
 */
async function callerIn(stage: StageName, client: STSClient) {
  const { Account = '', Arn } = await client.send(new GetCallerIdentityCommand());
  const expected = stageSettings(stage).env?.account ?? Account;
  if (Account === expected) return { Account, Arn };
  const problem = `stage ${stage} is in account ${expected}, but the credentials are for account ${Account}`;
  const remedy = `set AWS_PROFILE to a profile of account ${expected}, or correct lib/settings/stages.ts`;
  throw new OperatorError(problem, { remedy });
}

/**
 * Requires a right clock, so that the times that a command stores are right.
 *
 * @param offsetMs how far AWS's clock is ahead of this machine's clock
 */
function refuseWrongClock(offsetMs: number): void {
  if (Math.abs(offsetMs) <= toleratedClockMs) return;
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const side = offsetMs < 0 ? 'ahead of' : 'behind';
  throw new OperatorError(`this machine's clock is ${seconds} s ${side} AWS's clock`, {
    remedy: 'set the clock of this machine: "timedatectl set-ntp true"',
  });
}

/**
 * The stack of a stage, or the only stack of a local service; undefined if the server at a local address is something
 * else. @throws NotFoundError if the stage is not deployed
 */
async function stackOf(
  { stage }: Target,
  client: CloudFormationClient,
  account: string | undefined,
): Promise<Stack | undefined> {
  const StackName = isStageName(stage) ? stackName(stage) : undefined;
  try {
    return (await client.send(new DescribeStacksCommand({ StackName }))).Stacks?.[0];
  } catch (error) {
    const hasResponse = Object(Object(error).cause).$metadata?.httpStatusCode !== undefined;
    if (stage === undefined && hasResponse) return undefined;
    if (!/does not exist/.test(reasonOf(error))) throw error;
    const place = `account ${account}, Region ${await client.config.region()}`;
    throw new NotFoundError(`There is no stack ${StackName} in ${place}`, {
      remedy: `deploy it with "npx cdk deploy ${StackName}"`,
    });
  }
}

/** The settings of every client of AWS, or of the local service. */
function clientSettings({ local, stage }: Target) {
  const limits = callLimitSettings();
  if (local === undefined) {
    const { region } = stageSettings(stage as StageName).env ?? {};
    // The proxy is also set here, because the SDK's calls for an SSO session would not use it by themselves.
    return { ...limits, region, credentials: defaultProvider({ clientConfig: limits }) };
  }
  return {
    ...limits,
    endpoint: labelOf({ local }),
    region: 'us-east-1',
    // The local service requires a signature but does not verify it.
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
}
