import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeEach } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { stackName } from '../../../lib/settings/names.ts';
import { plans } from '../../../lib/settings/plans.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';

/** Gives each test of the calling file a stack of its own, in the place that its settings then name. */
export function stackOfEachTest() {
  const cloudFormation = mockClient(CloudFormationClient);
  const sts = mockClient(STSClient);
  const stack = { cloudFormation, outputs: {} as Record<string, string> };
  const env = { account: '111122223333', region: 'eu-central-1' };
  beforeEach(() => {
    for (const name of ['staging', 'prod'] as const) Object.assign(stageSettings(name), { env });
    const tables = { ApiKeysTableName: 'x', OwnersTableName: 'x', OrdersTableName: 'x' };
    stack.outputs = { ...tables, Plans: JSON.stringify(plans) };
    const Arn = `arn:aws:iam::${env.account}:user/ann`;
    sts.on(GetCallerIdentityCommand).resolves({ Account: env.account, Arn });
    cloudFormation.reset();
    cloudFormation.on(DescribeStacksCommand).callsFake(() => {
      const outputs = Object.entries(stack.outputs);
      const Outputs = outputs.map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
      return { Stacks: [{ StackName: stackName('staging'), Outputs }] };
    });
  });
  afterAll(() => {
    cloudFormation.restore();
    sts.restore();
  });
  return stack;
}
