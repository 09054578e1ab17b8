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

/**
 * What AWS knows about a deployed stage. Times are in ISO 8601. Whatever AWS declares optional can be
 * missing, and is null.
 */
export type DeployedStage = Awaited<ReturnType<typeof deployedStage>>;

const hourMs = 3_600_000;

/**
 * Reads the raised alarms, the functions that serve and the number of responses in the last hour.
 *
 * @param unknownToken a token of the stage that nobody has
 */
export async function deployedStage(stage: StageName, nowMs: number, unknownToken: string) {
  // No other command needs this module.
  const { CloudWatchClient, GetMetricDataCommand, paginateDescribeAlarms } = await import(
    '@aws-sdk/client-cloudwatch'
  );
  const cloudWatch = withCallLimits(new CloudWatchClient(callLimitSettings()));
  const onlyRaised = { AlarmNamePrefix: `${stackName(stage)}-`, StateValue: 'ALARM' } as const;
  const found = functionsOf(await stackResources(stage));
  const [alarms, { MetricDataResults = [] }, functions] = await Promise.all([
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
  ]);
  const sum = (id: keyof ReturnType<typeof metricsOf> | FunctionName) => {
    const { Values = [] } = MetricDataResults.find(({ Id }) => Id === id) ?? {};
    return Values.reduce((total, value) => total + value, 0);
  };
  return {
    alarms: alarms
      .flatMap(({ MetricAlarms = [] }) => MetricAlarms)
      .map(({ AlarmName, AlarmDescription, StateUpdatedTimestamp }) => {
        return {
          name: AlarmName ?? null,
          description: AlarmDescription ?? null,
          since: StateUpdatedTimestamp?.toISOString() ?? null,
        };
      }),
    functions: functions.map((each, index) => ({ ...each, errors: sum(found[index]!.id) })),
    lastHour: {
      requests: sum('requests'),
      status4xx: sum('clientErrors'),
      status5xx: sum('serverErrors') + sum('listsRefused'),
      status429: sum('tooManyRequests'),
    },
  };
}

/** Metrics of the crashes and timeouts of the operations' functions. A 5xx response is not an error here. */
function errorsOf(functions: readonly StackFunction[]) {
  const operations = functions.filter(({ id, name }) => id !== 'authorizer' && name !== undefined);
  return Object.fromEntries(
    operations.map(({ id, name }) => [
      id,
      metricStat('AWS/Lambda', 'Errors', 'Sum', { FunctionName: name! }),
    ]),
  );
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

async function stackResources(stage: StageName): Promise<StackResourceSummary[]> {
  const client = withCallLimits(new CloudFormationClient(callLimitSettings()));
  const pages = paginateListStackResources({ client }, { StackName: stackName(stage) });
  return (await Array.fromAsync(pages)).flatMap((page) => page.StackResourceSummaries ?? []);
}
