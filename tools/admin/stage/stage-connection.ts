import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type OutputName, stackName, stageOfStack } from '../../../lib/settings/names.ts';
import { isStageName, type StageName } from '../../../lib/settings/stages.ts';
import { OperatorError } from '../../shared/errors.ts';
import { apiGatewayKeys } from './api-gateway-keys.ts';
import { callLimitSettings, withCallLimits } from './call-limits.ts';
import { withEveryName } from './every-name.ts';
import { documentClient, type KeyStage, keyStageOf } from './key-stage.ts';
import { labelOf, refuseWrongTarget, type Target } from './target.ts';

/** Items stay in DynamoDB's own JSON, which is exact for every type that other programs store. */
export interface OrdersTable {
  readonly dynamodb: DynamoDBClient;
  readonly tableName: string;
}

/** The clients and names of a stage that the commands need. */
export interface StageConnection extends KeyStage {
  readonly dynamodb: DynamoDB;
  readonly orders: OrdersTable;
  /** A local service also runs a stage. */
  readonly name: StageName;
  readonly account: string;
  readonly region: string;
}

/** @throws OperatorError if there is no such stage, or it does not respond */
export async function connect(
  target: Target,
  now: () => number,
  operator: KeyStage['operator'],
): Promise<StageConnection> {
  refuseWrongTarget(target);
  const settings = clientSettings(target);
  const label = labelOf(target);
  const cloudFormation = withCallLimits(new CloudFormationClient(settings));
  const named = isStageName(target.stage) ? { StackName: stackName(target.stage) } : {};
  const { Stacks: [stack] = [] } = await cloudFormation.send(new DescribeStacksCommand(named));
  const name = stageOfStack(stack?.StackName);
  if (name === undefined) {
    throw new OperatorError(`${label} is not a stage of this service`, {
      remedy: 'correct the address',
    });
  }
  const output = (key: OutputName) => {
    const value = stack?.Outputs?.find(({ OutputKey }) => OutputKey === key)?.OutputValue;
    if (value) return value;
    throw new OperatorError(`${label}: the stack has no output ${key}`, {
      remedy: 'it was deployed by another version: deploy it again',
    });
  };
  const dynamodb = withEveryName(withCallLimits(new DynamoDB(settings)));
  // arn:aws:cloudformation:eu-central-1:111122223333:stack/StoreOrders-prod/1a2b
  const [, , , region = '', account = ''] = stack?.StackId?.split(':') ?? [];
  return {
    ...keyStageOf(name, output),
    dynamodb,
    documents: documentClient(withCallLimits(new DynamoDBClient(settings))),
    gateway: apiGatewayKeys(withCallLimits(new APIGatewayClient(settings))),
    orders: { dynamodb, tableName: output('OrdersTableName') },
    now,
    operator,
    name,
    account,
    region,
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
