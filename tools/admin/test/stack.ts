import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeEach } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { stackName, usagePlanOutput } from '../../../lib/settings/names.ts';
import { planNames, plans } from '../../../lib/settings/plans.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';

/** A double of CloudFormation, and the outputs of the one stack that it knows. */
export interface StackOfTest {
  readonly cloudFormation: ReturnType<typeof mockClient>;
  readonly outputs: Record<string, string>;
}

const env = { account: '111122223333', region: 'eu-central-1' };

/** Gives each test of the calling file a stack of its own, in the place that its settings then name. */
export function stackOfEachTest(): StackOfTest {
  const cloudFormation = mockClient(CloudFormationClient);
  const sts = mockClient(STSClient);
  const stack = { cloudFormation, outputs: {} as Record<string, string> };
  beforeEach(() => {
    for (const name of ['staging', 'prod'] as const) Object.assign(stageSettings(name), { env });
    const names = ['ApiKeysTableName', 'OwnersTableName', 'OrdersTableName'];
    stack.outputs = Object.fromEntries(
      [...names, ...planNames.map(usagePlanOutput)].map((name) => [name, 'x']),
    );
    stack.outputs.Plans = JSON.stringify(plans);
    cloudFormation.reset();
    const Arn = `arn:aws:iam::${env.account}:user/ann`;
    sts.on(GetCallerIdentityCommand).resolves({ Account: env.account, Arn });
    cloudFormation.on(DescribeStacksCommand).callsFake(() => ({
      Stacks: [
        {
          StackName: stackName('staging'),
          StackId: `arn:aws:cloudformation:eu-central-1:111122223333:stack/${stackName('staging')}/1`,
          Outputs: Object.entries(stack.outputs).map(([OutputKey, OutputValue]) => ({
            OutputKey,
            OutputValue,
          })),
        },
      ],
    }));
  });
  afterAll(() => {
    cloudFormation.restore();
    sts.restore();
  });
  return stack;
}
