import {
  CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from '@aws-sdk/client-cloudformation';
import type { MetricStat } from '@aws-sdk/client-cloudwatch';
import { stackName } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { callLimitSettings, withCallLimits } from '../stage/call-limits.ts';

/** What AWS tells of a deployed stage. Times are in ISO 8601. */
export type DeployedStage = Awaited<ReturnType<typeof deployedStage>>;

const hourMs = 3_600_000;

/** Reads the alarms that are on, the deployed functions, and what was answered in the last hour. */
export async function deployedStage(stage: StageName, nowMs: number) {
  // The module is loaded on demand, because no other command needs it.
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
      status5xx: sum('serverErrors'),
      status429: sum('rejected') - sum('unauthorized'),
    },
  };
}

/** The metrics that the dashboard shows, too: what clients were answered, by the access log. */
export function metricsOf(stage: StageName) {
  const ofService = (MetricName: string, reason?: string) =>
    metricStat('StoreOrders', MetricName, 'Sum', {
      Stage: stage,
      ...(reason && { Reason: reason }),
    });
  const api = { ApiName: `store-orders-${stage}`, Stage: stage };
  return {
    requests: metricStat('AWS/ApiGateway', 'Count', 'SampleCount', api),
    clientErrors: ofService('ClientErrors'),
    serverErrors: ofService('ServerErrors'),
    // The authorizer rejects with 401 or with 429.
    rejected: ofService('RequestsRejected'),
    unauthorized: ofService('RequestsRejected', 'unauthorized'),
  };
}

function metricStat(
  Namespace: string,
  MetricName: string,
  Stat: string,
  dimensions: Record<string, string>,
): MetricStat {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  // A longer period would begin before the last hour.
  return { Metric: { Namespace, MetricName, Dimensions }, Stat, Period: 60 };
}

/** The functions with the versions that CloudFormation has deployed, which it knows by their ARNs. */
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
