import type { Metric } from '@aws-sdk/client-cloudwatch';
import { metricNamespace } from '../../lambdas/domain/metric-definitions.ts';
import { operations } from '../../lib/settings/functions.ts';
import { aws, lookUntil } from './aws.ts';
import { Differs, type Evidence } from './evidence.ts';
import { cancellationCount, orderCount } from './orders.ts';
import { admin, type Outputs, type Trial } from './trial.ts';

const hourMs = 3_600_000;

interface Recorded {
  readonly trial: Trial;
  readonly evidence: Evidence;
  readonly outputs: Outputs;
}

/** Adds what AWS records about the requests of a run, some minutes later. */
export async function addRecords(
  { trial, evidence, outputs }: Recorded,
  owner: string,
): Promise<void> {
  const { AccessLogGroupName, RestApiId } = outputs;
  await addMetrics(trial, evidence);
  const line = (logGroupName: string, filterPattern: string) => async () => {
    const look = () => aws.logs.filterLogEvents({ logGroupName, filterPattern });
    const { events = [] } = await lookUntil(
      look,
      (found) => Boolean(found.events?.length),
      trial.signal,
    );
    return events[0]?.message ?? differ('no such line');
  };
  await evidence.add(
    'the access log of a refused list',
    'integrationStatus is 429',
    line(AccessLogGroupName, '{ $.integrationStatus = "429" }'),
  );
  await evidence.add(
    'the execution log of a failed integration',
    'a line with the reason',
    line(`API-Gateway-Execution-Logs_${RestApiId}/${trial.stage}`, '"Execution failed"'),
  );
  await evidence.add('GetUsage', `at least ${cancellationCount}`, async () => {
    const look = async () => JSON.parse(await admin(trial, ['owners', 'usage', owner, '--json']));
    const isSeen = ({ requests }: { requests: number }) => requests >= cancellationCount;
    const usage = await lookUntil(look, isSeen, trial.signal);
    return isSeen(usage) ? `${usage.requests}` : differ(`${usage.requests}`);
  });
}

/** Adds a row for a metric of each source, with all of its dimensions. */
async function addMetrics({ stage, stack, signal }: Trial, evidence: Evidence): Promise<void> {
  const { method: Method, path } = operations.cancelOrder;
  const api = { ApiName: stack, Stage: stage };
  const ofCancellations = { ...api, Method, Resource: `/v1${path}` };
  const expected: [
    namespace: string,
    name: string,
    dimensions: Record<string, string>,
    atLeast: number,
  ][] = [
    [metricNamespace, 'ClientErrors', { Stage: stage }, 1],
    [metricNamespace, 'ListsRefused', { Stage: stage }, 1],
    [metricNamespace, 'AuthorizerFailures', { Stage: stage }, 1],
    [metricNamespace, 'RequestsAdmitted', { Stage: stage }, cancellationCount],
    [metricNamespace, 'RequestsRejected', { Stage: stage, Reason: 'unauthorized' }, 1],
    [
      metricNamespace,
      'CancellationsRequested',
      { Stage: stage, Outcome: 'cancelled' },
      cancellationCount,
    ],
    [metricNamespace, 'OrdersListed', { Stage: stage }, orderCount],
    ['AWS/ApiGateway', 'Count', api, cancellationCount],
    ['AWS/ApiGateway', 'Latency', ofCancellations, cancellationCount],
  ];
  const MetricDataQueries = expected.map(([Namespace, MetricName, dimensions], index) => {
    const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
    const Stat = Namespace === metricNamespace ? 'Sum' : 'SampleCount';
    return {
      Id: `m${index}`,
      MetricStat: {
        Metric: { Namespace, MetricName, Dimensions } satisfies Metric,
        Stat,
        Period: 60,
      },
    };
  });
  const look = async () => {
    const now = Date.now();
    const interval = { StartTime: new Date(now - 2 * hourMs), EndTime: new Date(now) };
    const { MetricDataResults = [] } = await aws.cloudWatch.getMetricData({
      ...interval,
      MetricDataQueries,
    });
    return MetricDataResults.map(({ Values = [] }) =>
      Values.reduce((sum, value) => sum + value, 0),
    );
  };
  const isSeen = (sums: number[]) =>
    expected.every(([, , , atLeast], index) => sums[index]! >= atLeast);
  const sums = await lookUntil(look, isSeen, signal);
  for (const [index, [namespace, name, dimensions, atLeast]] of expected.entries()) {
    const title = `${namespace} ${name} {${Object.keys(dimensions).join(', ')}}`;
    await evidence.add(title, `at least ${atLeast}`, async () => {
      const sum = sums[index] ?? 0;
      return sum >= atLeast ? `${sum}` : differ(`${sum}`);
    });
  }
}

function differ(seen: string): never {
  throw new Differs(seen);
}
