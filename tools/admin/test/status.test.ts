import { Writable } from 'node:stream';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient, ListAliasesCommand } from '@aws-sdk/client-lambda';
import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { functionNames } from '../../../lib/settings/functions.ts';
import { capitalized, stackName } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { admin } from './run-admin.ts';
import { stackOfEachTest } from './stack.ts';

const stack = stackOfEachTest();
const cloudWatch = mockClient(CloudWatchClient);
const dynamodb = mockClient(DynamoDBClient);
const lambda = mockClient(LambdaClient);
const sns = mockClient(SNSClient);
const clients = [dynamodb, cloudWatch, lambda, sns];
const place = 'stage staging (111122223333, eu-central-1)';
const notFound = new ResourceNotFoundException({ message: 'no table', $metadata: {} });

beforeEach(() => {
  Object.assign(stageSettings('staging'), { alarmEmail: 'ann@example.com' });
  for (const name of functionNames.map(capitalized)) stack.outputs[`${name}FunctionName`] = name;
  Object.assign(stack.outputs, { AlarmTopicArn: 'topic', OrdersTableName: 'Orders' });
  for (const each of clients) each.reset();
  tableIs({ TableStatus: 'UPDATING' });
  dynamodb.on(DescribeTableCommand).resolves({ Table: { TableStatus: 'ACTIVE' } });
  subscriptionsAre(1, 0);
  lambda.on(ListAliasesCommand).resolves({ Aliases: [] });
  cloudWatch.on(DescribeAlarmsCommand).resolves({ MetricAlarms: [] });
});
afterAll(() => {
  for (const each of clients) each.restore();
});

function tableIs(Table: object): void {
  dynamodb.on(DescribeTableCommand, { TableName: 'Orders' }).resolves({ Table });
}

function subscriptionsAre(confirmed: number, pending: number): void {
  sns.on(GetTopicAttributesCommand, { TopicArn: 'topic' }).resolves({
    Attributes: {
      SubscriptionsConfirmed: String(confirmed),
      SubscriptionsPending: String(pending),
    },
  });
}

const status = (...words: string[]) => admin(['status', '--stage', 'staging', ...words]);

it('shows that a stage works, and the versions that serve', async () => {
  lambda.on(ListAliasesCommand, { FunctionName: 'ListOrders' }).resolves({
    Aliases: [
      { FunctionVersion: '12', RoutingConfig: { AdditionalVersionWeights: { '13': 0.1 } } },
    ],
  });

  const { exitCode, stdout } = await status();

  // The longest name of a function decides the width of the column.
  expect({ exitCode, stdout: stdout.replaceAll(/ {2,}/g, '  ') }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining(`staging works
${place}

FUNCTION  VERSIONS
authorizer  $LATEST
listOrders  12, 13 (10 %)
`),
  });
  // policy-calls.ts states these calls, too.
  const calls = [cloudWatch, lambda, sns].flatMap((client) => client.calls());
  expect(new Set(calls.map(({ args: [command] }) => command.constructor.name))).toEqual(
    new Set(['DescribeAlarmsCommand', 'ListAliasesCommand', 'GetTopicAttributesCommand']),
  );
});

const unheard = (reason: string) =>
  `alarms reach nobody: ${reason} (docs/runbook.md, "Alarms that reach nobody")`;

it.each<[string, () => unknown]>([
  [
    `the alarm ${stackName('staging')}-ServerErrors is on`,
    () =>
      cloudWatch
        .on(DescribeAlarmsCommand, {
          AlarmNamePrefix: `${stackName('staging')}-`,
          StateValue: 'ALARM',
        })
        .resolves({ MetricAlarms: [{ AlarmName: `${stackName('staging')}-ServerErrors` }] }),
  ],
  [unheard('nobody has subscribed'), () => subscriptionsAre(0, 0)],
  [unheard('nobody has confirmed the subscription'), () => subscriptionsAre(0, 1)],
  [
    'the table Orders is missing',
    () => dynamodb.on(DescribeTableCommand, { TableName: 'Orders' }).rejects(notFound),
  ],
  [
    'the table Orders is being restored',
    () => tableIs({ TableStatus: 'CREATING', RestoreSummary: { RestoreInProgress: true } }),
  ],
  ['the table Orders is deleting', () => tableIs({ TableStatus: 'DELETING' })],
])('says in its first line that %s, and ends with exit code 4', async (problem, happen) => {
  happen();

  const text = await status();
  const json = await status('--json');

  expect(text).toMatchObject({ exitCode: 4, stderr: `error: staging: ${problem}\n` });
  expect(text.stdout.split('\n').slice(0, 2)).toEqual([problem, place]);
  expect(json.exitCode).toBe(4);
  expect(JSON.parse(json.stdout)).toMatchObject({ works: false, problems: [problem] });
});

it('says that the alarms of a stage without an address reach nobody, which is no problem', async () => {
  Object.assign(stageSettings('staging'), { alarmEmail: undefined });
  subscriptionsAre(0, 0);

  const { exitCode, stdout } = await status();

  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^staging works, but alarms reach nobody: nobody has subscribed/);
});

it('reports its failure also if nobody reads its result', async () => {
  tableIs({ TableStatus: 'DELETING' });
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(closed) });

  const { exitCode, stderr } = await admin(['status', '--stage', 'staging'], { stdout });

  expect({ exitCode, stderr }).toEqual({
    exitCode: 4,
    stderr: 'error: staging: the table Orders is deleting\n',
  });
});
