import { ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
} from '@aws-sdk/client-cloudwatch';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { resourcesOfType } from '../../../test/helpers/synthesized.ts';
import { metricsOf } from '../status/deployed-stage.ts';
import { admin } from './run-admin.ts';
import { stackOfEachTest } from './stack.ts';

const { cloudFormation } = stackOfEachTest();
const cloudWatch = mockClient(CloudWatchClient);
const dynamodb = mockClient(DynamoDBDocumentClient);
/** The items of both tables in one. */
const idleOwner = {
  ...{ ownerId: `own_${'a'.repeat(20)}`, name: 'Idle', createdAt: '', ownerHash: 'hash', keys: {} },
  ...{ plan: 'free', perMinute: 60, perDay: 1_000, status: 'active' },
  ...{ minuteWindow: 0, minuteCount: 0, dayWindow: 0, dayCount: 0 },
};
const since = new Date('2026-11-20T09:00:00Z');

beforeEach(() => {
  dynamodb.on(ScanCommand).resolves({ Items: [idleOwner], Count: 1 });
  const resource = (ResourceType: string, PhysicalResourceId: string) => {
    return { ResourceType, PhysicalResourceId, LastUpdatedTimestamp: since };
  };
  const arn = 'arn:aws:lambda:eu-central-1:1:function:StoreOrders-staging-ListOrders:12';
  cloudFormation.on(ListStackResourcesCommand).resolves({
    StackResourceSummaries: [
      resource('AWS::Lambda::Function', 'StoreOrders-staging-ListOrders'),
      resource('AWS::Lambda::Version', arn),
      resource('AWS::Lambda::Function', 'StoreOrders-staging-List'),
    ] as never,
  });
  const alarm = { AlarmName: 'StoreOrders-staging-ServerErrors', AlarmDescription: 'Errors.' };
  cloudWatch
    .on(DescribeAlarmsCommand)
    .resolves({ MetricAlarms: [{ ...alarm, StateUpdatedTimestamp: since }] });
  const sums = { requests: [900, 100], clientErrors: [60], tooManyRequests: [10, 2] };
  cloudWatch.on(GetMetricDataCommand).resolves({
    MetricDataResults: Object.entries(sums).map(([Id, Values]) => ({ Id, Values })),
  });
});

afterAll(() => {
  cloudWatch.restore();
  dynamodb.restore();
});

it('shows the alarms, the last hour, the versions and the owners with requests of a stage', async () => {
  const { exitCode, stdout } = await admin(['status', '--stage', 'staging']);

  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `ALARM                             SINCE                     MEANING
StoreOrders-staging-ServerErrors  2026-11-20T09:00:00.000Z  Errors.

1,000 requests in the last hour; 60 with 4xx, of which 12 with 429; 0 with 5xx.

FUNCTION                        VERSION  DEPLOYED
StoreOrders-staging-ListOrders  12       2026-11-20T09:00:00.000Z
StoreOrders-staging-List        $LATEST  2026-11-20T09:00:00.000Z

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
