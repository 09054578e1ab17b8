import {
  CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { MetricStat } from '@aws-sdk/client-cloudwatch';
import { metricNamespace } from '../../../lambdas/domain/metric-definitions.ts';
import type { FunctionName } from '../../../lib/settings/functions.ts';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { callLimitSettings, withCallLimits } from '../stage/call-limits.ts';
import { functionsOf, type StackFunction, servingFunction } from './deployed-functions.ts';

/** What AWS knows about a deployed stage. Times are in ISO 8601. */
export type DeployedStage = Awaited<ReturnType<typeof deployedStage>>;

const hourMs = 3_600_000;

/** Reads the raised alarms, the functions that serve and the responses of the last hour. */
export async function deployedStage(stage: StageName, nowMs: number, unknownToken: string) {
  // No other command needs this module, nor that of SNS.
  const { CloudWatchClient, GetMetricDataCommand, paginateDescribeAlarms } = await import(
    '@aws-sdk/client-cloudwatch'
  );
  const cloudWatch = withCallLimits(new CloudWatchClient(callLimitSettings()));
  const onlyRaised = { AlarmNamePrefix: `${stackName(stage)}-`, StateValue: 'ALARM' } as const;
  const resources = await stackResources(stage);
  const found = functionsOf(resources);
  const [alarms, { MetricDataResults = [] }, functions, alarmSubscriptions] = await Promise.all([
    Array.fromAsync(paginateDescribeAlarms({ client: cloudWatch }, onlyRaised)),
    cloudWatch.send(
      new GetMetricDataCommand({
        StartTime: new Date(nowMs - hourMs),
        EndTime: new Date(nowMs),
        MetricDataQueries: Object.entries({ ...metricsOf(stage), ...errorsOf(found) }).map(
          ([Id, MetricStat]) => ({ Id, MetricStat }),
        ),
      }),
    ),
    Promise.all(found.map((each) => servingFunction(each, unknownToken))),
    subscriptionsOf(resources),
  ]);
  const sum = (id: keyof ReturnType<typeof metricsOf> | FunctionName) => {
    const { Values = [] } = MetricDataResults.find(({ Id }) => Id === id) ?? {};
    return Values.reduce((total, value) => total + value, 0);
  };
  return {
    alarms: alarms
      .flatMap(({ MetricAlarms = [] }) => MetricAlarms)
      .map((alarm) => ({
        name: alarm.AlarmName ?? null,
        description: alarm.AlarmDescription ?? null,
        since: alarm.StateUpdatedTimestamp?.toISOString() ?? null,
      })),
    alarmSubscriptions,
    functions: functions.map((each, index) => ({ ...each, errors: sum(found[index]!.id) })),
    lastHour: {
      requests: sum('requests'),
      status4xx: sum('clientErrors'),
      status5xx: sum('serverErrors') + sum('listsRefused'),
      status429: sum('tooManyRequests'),
    },
  };
}

/**
 * To how many addresses alarms are sent. AWS drops a subscription that is not confirmed in time, but the stack keeps it.
 *
 * @see https://docs.aws.amazon.com/sns/latest/api/API_GetTopicAttributes.html
 */
async function subscriptionsOf(resources: readonly StackResourceSummary[]) {
  const ofType = (type: string) => resources.find(({ ResourceType }) => ResourceType === type);
  const TopicArn = ofType('AWS::SNS::Topic')?.PhysicalResourceId;
  const { GetTopicAttributesCommand, SNSClient } = await import('@aws-sdk/client-sns');
  const sns = withCallLimits(new SNSClient(callLimitSettings()));
  const { Attributes = {} } = TopicArn
    ? await sns.send(new GetTopicAttributesCommand({ TopicArn }))
    : {};
  return {
    isExpected: ofType('AWS::SNS::Subscription') !== undefined,
    confirmed: Number(Attributes.SubscriptionsConfirmed ?? 0),
    pending: Number(Attributes.SubscriptionsPending ?? 0),
  };
}

/** Metrics of the crashes and timeouts of the operations' functions. A 5xx response is not an error here. */
function errorsOf(functions: readonly StackFunction[]) {
  const metrics = functions.flatMap(({ id, name: FunctionName }) =>
    id === 'authorizer' || FunctionName === undefined
      ? []
      : [[id, metricStat('AWS/Lambda', 'Errors', 'Sum', { FunctionName })] as const],
  );
  return Object.fromEntries(metrics);
}

/** Metrics of the responses to clients. The dashboard shows them, too. */
export function metricsOf(stage: StageName) {
  const ofService = (name: string) => metricStat(metricNamespace, name, 'Sum', { Stage: stage });
  const api = { ApiName: stackName(stage), Stage: stage };
  return {
    requests: metricStat('AWS/ApiGateway', 'Count', 'SampleCount', api),
    clientErrors: ofService('ClientErrors'),
    serverErrors: ofService('ServerErrors'),
    listsRefused: ofService('ListsRefused'),
    tooManyRequests: ofService('TooManyRequests'),
  };
}

/** A metric in minutes. */
export function metricStat(
  Namespace: string,
  MetricName: string,
  Stat: string,
  dimensions: Record<string, string>,
): MetricStat {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  // A longer period could start before the last hour.
  return { Metric: { Namespace, MetricName, Dimensions }, Stat, Period: 60 };
}

async function stackResources(stage: StageName): Promise<StackResourceSummary[]> {
  const client = withCallLimits(new CloudFormationClient(callLimitSettings()));
  const pages = paginateListStackResources({ client }, { StackName: stackName(stage) });
  return (await Array.fromAsync(pages)).flatMap((page) => page.StackResourceSummaries ?? []);
}
