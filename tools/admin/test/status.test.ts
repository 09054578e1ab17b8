import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { FunctionName } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { resourcesOfType } from '../../../test/helpers/synthesized.ts';
import { metricsOf } from '../status/deployed-stage.ts';
import { admin } from './run-admin.ts';
import { stackOfEachTest } from './stack.ts';

const stack = stackOfEachTest();
const { cloudFormation } = stack;
const cloudWatch = mockClient(CloudWatchClient);
const dynamodb = mockClient(DynamoDBDocumentClient);
/** The items of both tables in one. */
const idleOwner = {
  ...{ ownerId: `own_${'a'.repeat(20)}`, name: 'Idle', createdAt: '', ownerHash: 'hash', keys: {} },
  ...{ plan: 'free', perMinute: 60, perDay: 1_000, status: 'active' },
  ...{ minuteWindow: 0, minuteCount: 0, dayWindow: 0, dayCount: 0 },
};
const since = new Date('2026-11-20T09:00:00Z');

const lambda = mockClient(LambdaClient);
const sns = mockClient(SNSClient);
const clients = [dynamodb, cloudWatch, lambda, sns];

const listFunction = () =>
  lambda.on(GetFunctionConfigurationCommand, { FunctionName: 'List', Qualifier: 'live' });

const functions = Object.entries({
  authorizer: 'Authorizer',
  listOrders: 'List',
  cancelOrder: 'Cancel',
} satisfies Record<FunctionName, string>).map(([name, PhysicalResourceId]) => ({
  ResourceType: 'AWS::Lambda::Function',
  LogicalResourceId: `${capitalized(name)}Function1`,
  PhysicalResourceId,
}));

let resources: object[];

beforeEach(() => {
  stack.outputs.ApiKeysTableName = 'keys';
  for (const each of clients) each.reset();
  dynamodb.on(ScanCommand).resolves({ Items: [idleOwner], Count: 1 });
  const arn = 'arn:aws:lambda:eu-central-1:1:function:List:live';
  resources = [
    ...functions,
    { ResourceType: 'AWS::Lambda::Alias', PhysicalResourceId: arn },
    { ResourceType: 'AWS::SNS::Topic', PhysicalResourceId: 'topic' },
  ];
  cloudFormation
    .on(ListStackResourcesCommand)
    .callsFake(() => ({ StackResourceSummaries: resources }));
  subscriptionsAre(1, 0);
  const LastModified = '2026-11-20T09:00:00.000+0000';
  lambda.on(GetFunctionConfigurationCommand).resolves({ Version: '$LATEST', LastModified });
  listFunction().resolves({ Version: '12', LastModified });
  authorizerAnswers({ errorMessage: 'Unauthorized' });
  cloudWatch.on(DescribeAlarmsCommand).resolves({ MetricAlarms: [] });
  metricsAre({ requests: [900, 100], clientErrors: [60], tooManyRequests: [10, 2] });
});

afterAll(() => {
  for (const each of clients) each.restore();
});

function authorizerAnswers(answer: object): void {
  const Payload = Buffer.from(JSON.stringify(answer)) as never;
  lambda.on(InvokeCommand, { FunctionName: 'Authorizer' }).resolves({ Payload });
}

function subscriptionsAre(confirmed: number, pending: number): void {
  sns.on(GetTopicAttributesCommand, { TopicArn: 'topic' }).resolves({
    Attributes: {
      SubscriptionsConfirmed: String(confirmed),
      SubscriptionsPending: String(pending),
    },
  });
}

/** Gives the stack an address for alarms that has not confirmed, or that has no subscription any more. */
function addressIs(pending: number): void {
  resources.push({ ResourceType: 'AWS::SNS::Subscription' });
  subscriptionsAre(0, pending);
}

function metricsAre(values: Record<string, number[]>): void {
  cloudWatch.on(GetMetricDataCommand).resolves({
    MetricDataResults: Object.entries(values).map(([Id, Values]) => ({ Id, Values })),
  });
}

it('shows that a stage works, its last hour, the versions that serve and the owners with requests', async () => {
  const { exitCode, stdout } = await admin(['status', '--stage', 'staging']);

  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `staging works
stage staging (111122223333, eu-central-1)

No alarm is on.

1,000 requests in the last hour; 60 with 4xx, of which 12 with 429; 0 with 5xx.

FUNCTION    VERSION  DEPLOYED
Authorizer  $LATEST  2026-11-20T09:00:00.000+0000
List        12       2026-11-20T09:00:00.000+0000
Cancel      $LATEST  2026-11-20T09:00:00.000+0000

No owner has sent a request today.

No key is banned.
`,
  });
  expect(cloudWatch.commandCalls(DescribeAlarmsCommand)[0]!.args[0].input).toMatchObject({
    AlarmNamePrefix: 'StoreOrders-staging-',
    StateValue: 'ALARM',
  });
  const { StartTime, EndTime } = cloudWatch.commandCalls(GetMetricDataCommand)[0]!.args[0].input;
  expect(EndTime!.getTime() - StartTime!.getTime()).toBe(3_600_000);
});

it.each<[string, () => unknown]>([
  [
    'the alarm StoreOrders-staging-ServerErrors is on',
    () =>
      cloudWatch.on(DescribeAlarmsCommand).resolves({
        MetricAlarms: [
          { AlarmName: 'StoreOrders-staging-ServerErrors', StateUpdatedTimestamp: since },
        ],
      }),
  ],
  [
    'alarms reach nobody: the topic has no subscription (docs/runbook.md, "Alarms that reach nobody")',
    () => addressIs(0),
  ],
  [
    'alarms reach nobody: a subscription waits for its confirmation (docs/runbook.md, "Alarms that reach nobody")',
    () => addressIs(1),
  ],
  [
    'the function Authorizer fails (Cannot find module)',
    () => authorizerAnswers({ errorMessage: 'Cannot find module' }),
  ],
  [
    'the function Authorizer fails (it returns nothing)',
    () => lambda.on(InvokeCommand).resolves({}),
  ],
  [
    'the function Authorizer fails (the call got no response (socket hang up))',
    () => lambda.on(InvokeCommand).rejects(new Error('socket hang up')),
  ],
  [
    'the function Authorizer fails (it accepts an unknown key)',
    () => authorizerAnswers({ principalId: 'x' }),
  ],
  [
    'the function List cannot start (InvalidRuntime)',
    () => listFunction().resolves({ State: 'Failed', StateReason: 'InvalidRuntime' }),
  ],
  ['the function List cannot start', () => listFunction().resolves({ State: 'Failed' })],
  [
    'the function Cancel is missing',
    () =>
      lambda
        .on(GetFunctionConfigurationCommand, { FunctionName: 'Cancel' })
        .rejects(new ResourceNotFoundException({ message: '', Type: '', $metadata: {} })),
  ],
  ['the function Cancel had 3 errors in the last hour', () => metricsAre({ cancelOrder: [1, 2] })],
  [
    '1 owner incomplete: "Idle" ("./admin owners create" completes one, "./admin owners delete" removes one)',
    () => dynamodb.on(ScanCommand, { TableName: 'keys' }).resolves({ Items: [], Count: 0 }),
  ],
])('says in its first line that %s, and ends with exit code 1', async (problem, happen) => {
  happen();

  const text = await admin(['status', '--stage', 'staging']);
  const json = await admin(['status', '--stage', 'staging', '--json']);

  expect(text).toMatchObject({ exitCode: 1, stderr: `error: staging: ${problem}\n` });
  expect(text.stdout.split('\n')[0]).toBe(problem);
  expect(json.exitCode).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({ works: false, problems: [problem] });
});

it('says that alarms reach nobody of a stage that names nobody', async () => {
  subscriptionsAre(0, 0);

  const { exitCode, stdout } = await admin(['status', '--stage', 'staging']);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^staging works, but alarms reach nobody: the topic has no subscription/);
});

it('says if it could not ask the authorizer', async () => {
  lambda
    .on(InvokeCommand)
    .rejects(Object.assign(new Error('not you'), { $metadata: { httpStatusCode: 403 } }));

  const { exitCode, stdout } = await admin(['status', '--stage', 'staging']);

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(
    /^staging works, but the function Authorizer could not be asked: .*not you/,
  );
});

it('shows what there is if everything that AWS declares optional is missing', async () => {
  cloudFormation.on(ListStackResourcesCommand).resolves({ StackResourceSummaries: [{}] } as never);
  cloudWatch.on(DescribeAlarmsCommand).resolves({ MetricAlarms: [{}] });
  cloudWatch.on(GetMetricDataCommand).resolves({});

  const { exitCode, stderr } = await admin(['status', '--stage', 'staging']);

  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr:
      'error: staging: an alarm without a name is on; the function authorizer is missing; the function listOrders is ' +
      'missing; the function cancelOrder is missing, but alarms reach nobody: the topic has no subscription ' +
      '(docs/runbook.md, "Alarms that reach nobody")\n',
  });
});

it('reads metrics of the dashboard', () => {
  const dashboards = JSON.stringify(resourcesOfType('prod', 'AWS::CloudWatch::Dashboard'));
  const shown = dashboards.replaceAll('\\', '');
  for (const { Metric } of Object.values(metricsOf('prod'))) {
    const { Namespace, MetricName, Dimensions = [] } = Metric!;
    const dimensions = Dimensions.toSorted((one, other) => (one.Name! < other.Name! ? -1 : 1));
    const parts = [
      Namespace,
      MetricName,
      ...dimensions.flatMap(({ Name, Value }) => [Name, Value]),
    ];
    expect(shown).toContain(JSON.stringify(parts).slice(1, -1));
  }
});
