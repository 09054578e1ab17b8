import { once } from 'node:events';
import { connect } from 'node:http2';
import { finished } from 'node:stream/promises';
import { CloudWatch, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { Lambda, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { admin, lookUntil, type Row, row, secondsSince, settings, type Trial } from './trial.ts';

const lambda = new Lambda(settings);
const cloudWatch = new CloudWatch(settings);
const logs = new CloudWatchLogs(settings);

/** The row that imports orders, so that a list takes longer than a second. */
export const importRow = row(
  'docs/operating.md: Imported',
  'an import of 100,000 orders',
  'Imported 100,000 orders',
  (trial) => {
    const order = (_: unknown, index: number) =>
      `{"id":${index + 1},"petId":${index % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}`;
    const lines = Array.from({ length: 100_000 }, order);
    return admin(trial, ['orders', 'import', '-'], lines.join('\n'));
  },
);

const emptyLog = 'docs/runbook.md: the access log stays empty';

/** The questions about failures. Each row stops another part of the stage, and no row starts a part again. */
export const outageRows: readonly Row[] = [
  row(
    'docs/clients.md: If the connection closes first',
    'a list over HTTP/2 that Lambda ends after a second',
    '200 without the last ]',
    brokenList,
  ),
  row('docs/runbook.md: `Task timed out`', 'the log of this timeout', 'Task timed out', (trial) => {
    const group = trial.outputs.ListOrdersLogGroupName;
    return lookUntil('Task timed out', trial, () => logLine(group, '"Task timed out"'));
  }),
  row(
    'docs/runbook.md: 503, `INTEGRATION_FAILURE`',
    'a throttled list',
    'status 503, integrationStatus 429, errorType INTEGRATION_FAILURE',
    throttledList,
  ),
  row(
    'docs/runbook.md: is raised in these minutes',
    'the time from an error to its alarm',
    'ALARM within 300 s',
    timeToAlarm,
  ),
  // The newest line must be recent, because the row before this one has sent requests until now.
  row(emptyLog, 'the age of the newest IncomingLogEvents', 'within 180 s', async ({ outputs }) => {
    const dimensions = { LogGroupName: outputs.AccessLogGroupName };
    const lines = { Id: 'lines', ...metric('AWS/Logs', 'IncomingLogEvents', dimensions) };
    const { Timestamps: [newest] = [] } = await dataOf([lines]);
    return newest ? secondsSince(newest.getTime(), 180) : 'none';
  }),
  row(emptyLog, 'FILL(…, 0) of a metric that has never existed', 'values 0', async (trial) => {
    const dimensions = { ApiName: trial.stack, Stage: trial.name };
    const input = (Id: string, name: string) => ({
      ...{ Id, ReturnData: false },
      ...metric('AWS/ApiGateway', name, dimensions),
    });
    const { Values } = await dataOf([
      { Id: 'filled', Expression: 'IF(requests > 0, FILL(missing, 0))' },
      input('requests', 'Count'),
      input('missing', 'NeverExisted'),
    ]);
    return `values ${[...new Set(Values)].join() || 'none'}`;
  }),
];

/** Reads a list without compression, so that it takes longer than a second. */
async function brokenList({ outputs, api }: Trial): Promise<string> {
  const FunctionName = outputs.ListOrdersFunctionName;
  await lambda.updateFunctionConfiguration({ FunctionName, Timeout: 1 });
  await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 120 }, { FunctionName });
  const { origin, pathname } = new URL(outputs.BaseUrl);
  // Ignored here, because an error of the session is also an error of the request.
  const session = connect(origin).on('error', () => {});
  const headers = {
    ':path': `${pathname}/store/orders`,
    authorization: `Bearer ${api.key}`,
    'accept-encoding': 'identity',
  };
  const request = session.request(headers, { signal: AbortSignal.timeout(300_000) });
  const [{ ':status': status }] = await once(request.setEncoding('utf8'), 'response');
  let text = '';
  request.on('data', (chunk) => {
    text += chunk;
  });
  const error = await finished(request).then(() => 'no error', String);
  session.destroy();
  const isWhole = text.trimEnd().endsWith(']');
  return `${status} ${isWhole ? 'with' : 'without'} the last ], ${error}, HTTP/2 code ${request.rstCode}`;
}

/** The first line of a log that a filter pattern matches. @throws Error if there is none */
async function logLine(logGroupName: string, filterPattern: string, startTime = 0) {
  const query = { logGroupName, filterPattern, startTime };
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, query)) {
    if (events[0]?.message) return events[0].message;
  }
  throw new Error(`${logGroupName} has no line with ${filterPattern}`);
}

async function throttledList(trial: Trial): Promise<string> {
  const { api, outputs } = trial;
  const startTime = Date.now();
  await stop(outputs.ListOrdersFunctionName);
  return lookUntil('errorType', trial, async () => {
    await api.call('listOrders');
    const line = await logLine(outputs.AccessLogGroupName, '{ $.status != "200" }', startTime);
    const { status, integrationStatus, errorType } = JSON.parse(line);
    return `status ${status}, integrationStatus ${integrationStatus}, errorType ${errorType}`;
  });
}

/** Keeps sending requests without an authorizer until the alarm is on. */
async function timeToAlarm(trial: Trial): Promise<string> {
  await stop(trial.outputs.AuthorizerFunctionName);
  const startedMs = Date.now();
  const AlarmNamePrefix = `${trial.stack}-MonitoringAuthorizerFailures`;
  return lookUntil('ALARM', trial, async () => {
    await Promise.all(Array.from({ length: 10 }, () => trial.api.call('getPet')));
    const { MetricAlarms: [alarm] = [] } = await cloudWatch.describeAlarms({ AlarmNamePrefix });
    return `${alarm?.StateValue ?? 'no such alarm'} ${secondsSince(startedMs, 300)}`;
  });
}

/** Lets Lambda refuse all invocations of a function. */
function stop(FunctionName: string): Promise<unknown> {
  return lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
}

function metric(Namespace: string, MetricName: string, dimensions: Record<string, string>) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace, MetricName, Dimensions };
  return { MetricStat: { Metric, Stat: 'SampleCount', Period: 60 } };
}

/** The data of the first query in the last hour, from the newest minute to the oldest. */
async function dataOf(MetricDataQueries: MetricDataQuery[]) {
  const StartTime = new Date(Date.now() - 3_600_000);
  const answer = await cloudWatch.getMetricData({
    StartTime,
    EndTime: new Date(),
    MetricDataQueries,
  });
  return answer.MetricDataResults![0]!;
}
