import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
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
  await addMetrics(trial, evidence);
  const line = (logGroupName: string, filterPattern: string) => async () => {
    const pages = () =>
      Array.fromAsync(
        paginateFilterLogEvents({ client: aws.logs }, { logGroupName, filterPattern }),
      );
    const look = async () => (await pages()).flatMap(({ events = [] }) => events)[0]?.message;
    return (await lookUntil(look, Boolean, trial.signal)) ?? differ('no such line');
  };
  await evidence.add(
    'the access log of a refused list',
    'integrationStatus is 429',
    line(outputs.AccessLogGroupName, '{ $.integrationStatus = "429" }'),
  );
  await evidence.add(
    'the execution log of a failed integration',
    'a line with the reason',
    line(outputs.ExecutionLogGroupName, 'failed'),
  );
  await evidence.add('GetUsage', `at least ${cancellationCount}`, async () => {
    const look = async () => JSON.parse(await admin(trial, ['owners', 'usage', owner, '--json']));
    const isSeen = ({ requests }: { requests: number }) => requests >= cancellationCount;
    const usage = await lookUntil(look, isSeen, trial.signal);
    return isSeen(usage) ? `${usage.requests}` : differ(`${usage.requests}`);
  });
}

/** Adds rows for metrics of every source, with all of their dimensions. */
async function addMetrics({ stage, stack, signal }: Trial, evidence: Evidence): Promise<void> {
  const { method: Method, path } = operations.cancelOrder;
  const ofService = (MetricName: string, atLeast: number, dimensions = {}) => ({
    metric: metric(metricNamespace, MetricName, { Stage: stage, ...dimensions }),
    atLeast,
  });
  const ofApi = (MetricName: string, dimensions = {}) => ({
    metric: metric('AWS/ApiGateway', MetricName, { ApiName: stack, Stage: stage, ...dimensions }),
    atLeast: cancellationCount,
  });
  const expected = [
    ofService('ClientErrors', 1),
    ofService('ListsRefused', 1),
    ofService('AuthorizerFailures', 1),
    ofService('RequestsAdmitted', cancellationCount),
    ofService('RequestsRejected', 1, { Reason: 'unauthorized' }),
    ofService('CancellationsRequested', cancellationCount, { Outcome: 'cancelled' }),
    ofService('OrdersListed', orderCount),
    ofApi('Count'),
    ofApi('Latency', { Method, Resource: `/v1${path}` }),
  ];
  const sums = await Promise.all(
    expected.map((each) =>
      lookUntil(
        () => sumOf(each.metric),
        (sum) => sum >= each.atLeast,
        signal,
      ),
    ),
  );
  for (const [index, { metric, atLeast }] of expected.entries()) {
    const names = metric.Dimensions.map(({ Name }) => Name).join(', ');
    const sum = sums[index]!;
    await evidence.add(
      `${metric.Namespace} ${metric.MetricName} {${names}}`,
      `at least ${atLeast}`,
      async () => (sum >= atLeast ? `${sum}` : differ(`${sum}`)),
    );
  }
}

function metric(Namespace: string, MetricName: string, dimensions: Record<string, string>) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  return { Namespace, MetricName, Dimensions };
}

/** The sum of the last hours; of API Gateway's metrics, the number of requests. */
async function sumOf(ofMetric: ReturnType<typeof metric>): Promise<number> {
  const statistic = ofMetric.Namespace === metricNamespace ? 'Sum' : 'SampleCount';
  const { Datapoints = [] } = await aws.cloudWatch.getMetricStatistics({
    ...ofMetric,
    StartTime: new Date(Date.now() - 2 * hourMs),
    EndTime: new Date(),
    Period: 60,
    Statistics: [statistic],
  });
  return Datapoints.reduce((sum, point) => sum + (point[statistic] ?? 0), 0);
}

function differ(seen: string): never {
  throw new Differs(seen);
}
