import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { type MetricName, metricNamespace } from '../../../lambdas/contract/metric-definitions.ts';
import { lookUntil } from './evidence.ts';
import { cancellationCount, loadOwner, orderCount } from './orders.ts';
import { admin, type Deployed } from './trial.ts';

const cloudWatch = new CloudWatch();
const logs = new CloudWatchLogs();

/** Looks for the metrics, log lines and usage that the other checks have left. */
export async function checkRecords(trial: Deployed): Promise<void> {
  const { stack, stage: Stage, signal, evidence, outputs } = trial;
  const ofFunction = (name: MetricName) => [metricNamespace, name] as const;
  const metrics = [
    [metricNamespace, 'ClientErrors', 1, { Stage }],
    [metricNamespace, 'ListsRefused', 1, { Stage }],
    [metricNamespace, 'AuthorizerFailures', 1, { Stage }],
    [metricNamespace, 'RequestsAdmitted', cancellationCount, { Stage }],
    [...ofFunction('RequestsRejected'), 1, { Stage, Reason: 'unauthorized' }],
    [...ofFunction('CancellationLatency'), cancellationCount, { Stage, Outcome: 'cancelled' }],
    [...ofFunction('OrdersListed'), orderCount, { Stage }],
    ['AWS/ApiGateway', 'Count', cancellationCount, { ApiName: stack, Stage }],
  ] as const;
  const add = (what: string, expected: string | number, look: () => Promise<string>) =>
    evidence.add(what, expected, () => lookUntil(expected, look, signal));
  await Promise.all([
    ...metrics.map(([namespace, name, expected, dimensions]) =>
      add(`${namespace} ${name} {${Object.keys(dimensions).join(', ')}}`, expected, () =>
        sumOf(namespace, name, dimensions),
      ),
    ),
    add('the access log of a refused list', '"429"', () =>
      lineOf(outputs.AccessLogGroupName, '{ $.integrationStatus = "429" }'),
    ),
    add('the execution log of a failed integration', 'failed', () =>
      lineOf(outputs.ExecutionLogGroupName, 'failed'),
    ),
    add('GetUsage', cancellationCount, async () => {
      const usage = await admin(trial, ['owners', 'usage', loadOwner, '--json']);
      return `${JSON.parse(usage).requests}`;
    }),
  ]);
}

/** The sum of a metric in the last hours. For API Gateway's requests and for latencies, the number of samples. */
async function sumOf(namespace: string, name: string, dimensions: Record<string, string>) {
  const statistic = /^Count$|Latency$/.test(name) ? 'SampleCount' : 'Sum';
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace: namespace, MetricName: name, Dimensions };
  const MetricStat = { Metric, Stat: statistic, Period: 60 };
  const { MetricDataResults: [result] = [] } = await cloudWatch.getMetricData({
    StartTime: new Date(Date.now() - 2 * 3_600_000),
    EndTime: new Date(),
    MetricDataQueries: [{ Id: 'sum', MetricStat }],
  });
  return `${(result?.Values ?? []).reduce((sum, value) => sum + value, 0)}`;
}

async function lineOf(logGroupName: string, filterPattern: string): Promise<string> {
  const search = paginateFilterLogEvents({ client: logs }, { logGroupName, filterPattern });
  for await (const { events = [] } of search) if (events[0]) return events[0].message ?? '';
  return 'no such line';
}
