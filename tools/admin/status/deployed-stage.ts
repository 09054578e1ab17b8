import {
  CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { MetricStat } from '@aws-sdk/client-cloudwatch';
import { metricNamespace } from '../../../lambdas/shared/metric-definitions.ts';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { callLimitSettings, withCallLimits } from '../stage/call-limits.ts';

/** What AWS knows about a deployed stage. Times are in ISO 8601. */
export type DeployedStage = Awaited<ReturnType<typeof deployedStage>>;

const hourMs = 3_600_000;

/** Reads the raised alarms, the deployed functions and the number of responses in the last hour. */
export async function deployedStage(stage: StageName, nowMs: number) {
  // No other command needs this module.
  const { CloudWatchClient, GetMetricDataCommand, paginateDescribeAlarms } = await import(
    '@aws-sdk/client-cloudwatch'
  );
  const cloudWatch = withCallLimits(new CloudWatchClient(callLimitSettings()));
  const onlyRaised = { AlarmNamePrefix: `${stackName(stage)}-`, StateValue: 'ALARM' } as const;
  const alarmPages = Array.fromAsync(paginateDescribeAlarms({ client: cloudWatch }, onlyRaised));
  const metrics = cloudWatch.send(
    new GetMetricDataCommand({
      StartTime: new Date(nowMs - hourMs),
      EndTime: new Date(nowMs),
      MetricDataQueries: Object.entries(metricsOf(stage)).map(([Id, MetricStat]) => {
        return { Id, MetricStat };
      }),
    }),
  );
  const cloudFormation = withCallLimits(new CloudFormationClient(callLimitSettings()));
  const resourcePages = Array.fromAsync(
    paginateListStackResources({ client: cloudFormation }, { StackName: stackName(stage) }),
  );
  const [alarms, { MetricDataResults = [] }, resources] = await Promise.all([
    alarmPages,
    metrics,
    resourcePages,
  ]);
  const sum = (id: keyof ReturnType<typeof metricsOf>) => {
    const { Values = [] } = MetricDataResults.find(({ Id }) => Id === id) ?? {};
    return Values.reduce((total, value) => total + value, 0);
  };
  return {
    alarms: alarms
      .flatMap(({ MetricAlarms = [] }) => MetricAlarms)
      .map(({ AlarmName, AlarmDescription, StateUpdatedTimestamp }) => {
        return {
          name: AlarmName!,
          description: AlarmDescription!,
          since: StateUpdatedTimestamp!.toISOString(),
        };
      }),
    functions: functionsIn(resources.flatMap((page) => page.StackResourceSummaries ?? [])),
    lastHour: {
      requests: sum('requests'),
      status4xx: sum('clientErrors'),
      status5xx: sum('serverErrors') + sum('listsRefused'),
      status429: sum('tooManyRequests'),
    },
  };
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

function metricStat(
  Namespace: string,
  MetricName: string,
  Stat: string,
  dimensions: Record<string, string>,
): MetricStat {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  // A longer period could start before the last hour.
  return { Metric: { Namespace, MetricName, Dimensions }, Stat, Period: 60 };
}

/** Lists the functions with their deployed versions, which CloudFormation knows by their ARNs. */
function functionsIn(resources: readonly StackResourceSummary[]) {
  const ofType = (type: string) => resources.filter(({ ResourceType }) => ResourceType === type);
  return ofType('AWS::Lambda::Function').map((lambdaFunction) => {
    const name = lambdaFunction.PhysicalResourceId!;
    const version = ofType('AWS::Lambda::Version').find(({ PhysicalResourceId }) =>
      PhysicalResourceId?.includes(`:function:${name}:`),
    );
    return {
      name,
      version: version?.PhysicalResourceId?.split(':').at(-1) ?? '$LATEST',
      deployedAt: (version ?? lambdaFunction).LastUpdatedTimestamp!.toISOString(),
    };
  });
}
