import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type OutputName, stackName, stageOfStack } from '../../../lib/settings/names.ts';
import {
  isStageName,
  noAccountYet,
  type StageName,
  stageSettings,
} from '../../../lib/settings/stages.ts';
import { NotFoundError, OperatorError, reasonOf } from '../../shared/errors.ts';
import { apiGatewayKeys } from './api-gateway-keys.ts';
import { callLimitSettings, withCallLimits } from './call-limits.ts';
import { type AskForCode, awsCredentials } from './credentials.ts';
import { documentClient, type KeyStage, keyStageOf } from './key-stage.ts';
import { labelOf, refuseWrongTarget, type Target } from './target.ts';

/** The table of orders. Its items stay in DynamoDB's own JSON, which is exact for every type that programs store. */
export interface OrdersTable {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
}

/** The settings of every client of AWS, or of the local service. */
export type ClientSettings = ReturnType<typeof clientSettings>;

/** The clients and names of a stage that the commands need. */
export interface StageConnection extends KeyStage {
  readonly dynamodb: DynamoDB;
  readonly orders: OrdersTable;
  /** A local service also runs a stage. */
  readonly name: StageName;
  readonly account: string;
  readonly region: string;
  readonly settings: ClientSettings;
  /** Reads an output of the stack. @throws OperatorError if it has none with this name */
  readonly output: (name: OutputName) => string;
  /** How far AWS's clock, which the commands follow, is ahead of this machine's clock. */
  readonly clockOffsetMs: number;
}

/** The account of the credentials is not the account of the stage. */
export class WrongAccountError extends OperatorError {
  constructor(label: string, expected: string, account: string) {
    super(`${label} is in account ${expected}, but the credentials are for account ${account}`, {
      remedy: `set AWS_PROFILE to a profile of account ${expected}, or correct lib/settings/stages.ts`,
    });
  }
}

// A smaller difference means nothing, because AWS's responses have the time in whole seconds.
const clockPrecisionMs = 2_000;

/**
 * Connects to the place that `lib/settings/stages.ts` names, or to a local service.
 *
 * @param operator finds the operator's name
 * @throws OperatorError if there is no such stage, or it is in another account
 */
export async function connect(
  target: Target,
  now: () => number,
  operator: (settings: ClientSettings) => Promise<string>,
  askForCode?: AskForCode,
): Promise<StageConnection> {
  refuseWrongTarget(target);
  const { local, stage } = target;
  const withoutOffset = clientSettings(target, askForCode);
  const label = labelOf(target);
  const cloudFormation = withCallLimits(new CloudFormationClient(withoutOffset));
  const stack = isStageName(stage)
    ? await stackOfStage(stage, cloudFormation, withoutOffset)
    : (await cloudFormation.send(new DescribeStacksCommand({}))).Stacks?.[0];
  const name = stageOfStack(stack?.StackName);
  if (name === undefined) {
    throw new OperatorError(`${label} is not a stage of this service`, {
      remedy: 'correct the address',
    });
  }
  const output = (key: OutputName) => {
    const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value) return value;
    const problem = `${label}: this checkout is not the version that is deployed: the stack has no output ${key}`;
    throw new OperatorError(problem, { remedy: 'check out the deployed commit, or deploy' });
  };
  // The SDK learns the difference of the clocks from each response.
  const learnedMs = local === undefined ? cloudFormation.config.systemClockOffset : 0;
  const clockOffsetMs = Math.abs(learnedMs) < clockPrecisionMs ? 0 : learnedMs;
  const settings = { ...withoutOffset, systemClockOffset: clockOffsetMs };
  const dynamodb = withCallLimits(new DynamoDB(settings));
  const { account, region } = placeOf(stack);
  return Object.assign(keyStageOf(name, output), {
    dynamodb,
    documents: documentClient(withCallLimits(new DynamoDBClient(settings))),
    gateway: apiGatewayKeys(withCallLimits(new APIGatewayClient(settings))),
    orders: {
      dynamodb,
      get tableName() {
        return output('OrdersTableName');
      },
    },
    now: () => now() + clockOffsetMs,
    operator: () => operator(settings),
    name,
    account,
    region,
    settings,
    output,
    clockOffsetMs,
  });
}

/** @throws WrongAccountError for credentials of another account, even if it has no such stack or denies the call */
async function stackOfStage(
  stage: StageName,
  cloudFormation: CloudFormationClient,
  settings: ClientSettings,
): Promise<Stack | undefined> {
  const { account: expected, region } = stageSettings(stage);
  const StackName = stackName(stage);
  const refuseOther = (account: string) => {
    if (expected === noAccountYet || account === expected) return;
    throw new WrongAccountError(labelOf({ stage }), expected, account);
  };
  try {
    const { Stacks: [stack] = [] } = await cloudFormation.send(
      new DescribeStacksCommand({ StackName }),
    );
    refuseOther(placeOf(stack).account);
    return stack;
  } catch (error) {
    if (Object(error).$fault !== 'client') throw error;
    const account = await accountOf(settings);
    if (account) refuseOther(account);
    if (!/does not exist/.test(reasonOf(error))) throw error;
    const place = `account ${account ?? expected}, Region ${region}`;
    throw new NotFoundError(`There is no stack ${StackName} in ${place}`, {
      remedy: `deploy it with "npx cdk deploy ${StackName}"`,
    });
  }
}

/** The account of the credentials; undefined if AWS does not say it. */
async function accountOf(settings: ClientSettings): Promise<string | undefined> {
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = withCallLimits(new STSClient(settings));
  const identity = await client.send(new GetCallerIdentityCommand()).catch(() => undefined);
  return identity?.Account;
}

/** Reads the place in an ARN such as arn:aws:cloudformation:eu-central-1:111122223333:stack/NAME/1a2b. */
function placeOf(stack: Stack | undefined): { account: string; region: string } {
  const [, , , region = '', account = ''] = stack?.StackId?.split(':') ?? [];
  return { account, region };
}

function clientSettings({ local, stage }: Target, askForCode: AskForCode | undefined) {
  const limits = callLimitSettings();
  if (local === undefined) {
    const { region } = stageSettings(stage as StageName);
    return { ...limits, region, credentials: awsCredentials(limits, askForCode) };
  }
  return {
    ...limits,
    endpoint: labelOf({ local }),
    region: 'us-east-1',
    // The local service requires a signature but does not verify it.
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    // Without these settings, the SDK may take them from the user's AWS configuration, and then refuse an endpoint.
    defaultsMode: 'standard' as const,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
  };
}
