import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { afterAll, beforeEach } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { usagePlanOutput } from '../../../lib/settings/names.ts';
import { planNames } from '../../../lib/settings/plans.ts';

/** A double of CloudFormation, and the outputs of the one stack that it knows. */
export interface StackOfTest {
  readonly cloudFormation: ReturnType<typeof mockClient>;
  readonly outputs: Record<string, string>;
}

/** Gives each test of the calling file a stack of its own. */
export function stackOfEachTest(): StackOfTest {
  const cloudFormation = mockClient(CloudFormationClient);
  const stack = { cloudFormation, outputs: {} as Record<string, string> };
  beforeEach(() => {
    const names = ['ApiKeysTableName', 'OwnersTableName', 'OrdersTableName'];
    stack.outputs = Object.fromEntries(
      [...names, ...planNames.map(usagePlanOutput)].map((name) => [name, 'x']),
    );
    cloudFormation.reset();
    cloudFormation.on(DescribeStacksCommand).callsFake(() => ({
      Stacks: [
        {
          StackName: 'StoreOrders-staging',
          StackId: 'arn:aws:cloudformation:eu-central-1:111122223333:stack/StoreOrders-staging/1',
          Outputs: Object.entries(stack.outputs).map(([OutputKey, OutputValue]) => ({
            OutputKey,
            OutputValue,
          })),
        },
      ],
    }));
  });
  afterAll(() => cloudFormation.restore());
  return stack;
}
