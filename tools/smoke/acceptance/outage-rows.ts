import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudWatch, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { Lambda, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { row } from '../runner.ts';
import { headerOf } from '../stage/rate-limit.ts';
import {
  admin,
  type Deployed,
  emulator,
  lookUntil,
  type Row,
  secondsSince,
  settings,
} from './trial.ts';

const lambda = new Lambda(settings);
const cloudWatch = new CloudWatch(settings);
const logs = new CloudWatchLogs(settings);

// An emulator stores some orders in a second.
const orderCount = emulator ? 1_000 : 100_000;
const minuteMs = 60_000;

/** The row that imports orders, so that a list is longer than Lambda's buffers. */
export const importRow = row<Deployed>(
  'docs/operating.md: Imported',
  `an import of ${orderCount} orders`,
  `Imported ${orderCount.toLocaleString('en')} orders`,
  (trial) => admin(trial, ['orders', 'import', '-'], Array.from({ length: orderCount }, orderLine)),
);

function orderLine(_: unknown, index: number): string {
  return `{"id":${index + 1},"petId":${index % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}\n`;
}

const closed = 'docs/clients.md: If the connection closes first';
const emptyLog = 'docs/runbook.md: the access log stays empty';

/** The questions about failures. Each row stops more of the stage, and nothing is started again. */
export const outageRows: readonly Row[] = [
  row(closed, 'a whole list over HTTP/2', '200 with the last ]', readList),
  row(closed, 'a list over HTTP/2 that Lambda ends', '200 without the last ]', async (trial) => {
    // Without compression, this list takes longer than a second.
    const FunctionName = trial.outputs.ListOrdersFunctionName;
    await lambda.updateFunctionConfiguration({ FunctionName, Timeout: 1 });
    await waitUntilFunctionUpdatedV2({ client: lambda, maxWaitTime: 120 }, { FunctionName });
    return readList(trial);
  }),
  row('docs/runbook.md: `Task timed out`', 'the log of a timeout', 'Task timed out', (trial) =>
    lookUntil('Task timed out', trial, () =>
      logLine(trial.outputs.ListOrdersLogGroupName, '"Task timed out"'),
    ),
  ),
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
  row(emptyLog, 'the delay of IncomingLogEvents', 'value within 180 s', delayOfLogEvents),
  row(emptyLog, 'FILL(…, 0) of a metric that has never existed', 'values 0', (trial) =>
    lookUntil('values 0', trial, () => filledValues(trial)),
  ),
];

async function readList({ outputs, api }: Deployed): Promise<string> {
  const { origin, pathname } = new URL(outputs.BaseUrl);
  // An error of the session is also an error of the request.
  const session = connect(origin).on('error', () => {});
  try {
    const headers = {
      ':path': `${pathname}/store/orders`,
      authorization: `Bearer ${api.key}`,
      'accept-encoding': 'identity',
    };
    const request = session.request(headers, { signal: AbortSignal.timeout(5 * minuteMs) });
    // Without a listener, an error between the response and its body would end the process.
    request.on('error', () => {});
    const [{ ':status': status }] = await once(request, 'response');
    let text = '';
    const read = async () => {
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
    };
    const error = await read().then(() => 'no error', String);
    const isWhole = text.trimEnd().endsWith(']');
    return (
      `${status} ${isWhole ? 'with' : 'without'} the last ], ${text.length} bytes, ${error}, ` +
      `HTTP/2 code ${request.rstCode}${request.aborted ? ', aborted' : ''}`
    );
  } finally {
    session.destroy();
  }
}

/** The first line of a log that a filter pattern matches. @throws Error if there is none */
async function logLine(logGroupName: string, filterPattern: string): Promise<string> {
  const pages = paginateFilterLogEvents({ client: logs }, { logGroupName, filterPattern });
  for await (const { events = [] } of pages) if (events[0]?.message) return events[0].message;
  throw new Error(`${logGroupName} has no line with ${filterPattern}`);
}

async function throttledList(trial: Deployed): Promise<string> {
  const { api, outputs } = trial;
  await stop(outputs.ListOrdersFunctionName);
  let id: string | undefined;
  const status = await lookUntil('status', trial, async () => {
    const answer = await api.call('listOrders');
    id = headerOf(answer, 'x-amz-apigw-id');
    return answer.status === 200 ? 'served' : `status ${answer.status}`;
  });
  return lookUntil('errorType', trial, async () => {
    const line = await logLine(outputs.AccessLogGroupName, `{ $.extendedRequestId = "${id}" }`);
    const { integrationStatus, errorType } = JSON.parse(line);
    return `${status}, integrationStatus ${integrationStatus}, errorType ${errorType}`;
  });
}

/** Keeps sending requests without an authorizer until the alarm is on. */
async function timeToAlarm(trial: Deployed): Promise<string> {
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

/** Sends a request in a new minute, and waits until the metric has a value for this minute. */
async function delayOfLogEvents(trial: Deployed): Promise<string> {
  const { api, outputs, signal } = trial;
  const minute = Math.ceil(Date.now() / minuteMs) * minuteMs;
  const untilMinute = sleep(minute - Date.now(), undefined, { signal });
  await untilMinute.catch(() => signal.throwIfAborted());
  await api.call('getPet');
  const LogGroupName = outputs.AccessLogGroupName;
  const lines = metric('AWS/Logs', 'IncomingLogEvents', { LogGroupName });
  return lookUntil('value', trial, async () => {
    const values = await valuesOf([{ Id: 'lines', ...lines }], minute);
    if (values.length === 0) throw new Error('the metric has no value for this minute');
    return `value ${secondsSince(minute, 180)}`;
  });
}

async function filledValues({ stack, name }: Deployed): Promise<string> {
  const dimensions = { ApiName: stack, Stage: name };
  const input = (Id: string, MetricName: string) => ({
    Id,
    ...metric('AWS/ApiGateway', MetricName, dimensions),
    ReturnData: false,
  });
  const filled = { Id: 'filled', Expression: 'IF(requests > 0, FILL(missing, 0))' };
  const queries = [filled, input('requests', 'Count'), input('missing', 'NeverExisted')];
  const values = await valuesOf(queries, Date.now() - 60 * minuteMs);
  return `values ${[...new Set(values)].join() || 'none'}`;
}

function metric(Namespace: string, MetricName: string, dimensions: Record<string, string>) {
  const Dimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
  const Metric = { Namespace, MetricName, Dimensions };
  return { MetricStat: { Metric, Stat: 'SampleCount', Period: 60 } };
}

/** The values that the first query returns. */
async function valuesOf(MetricDataQueries: MetricDataQuery[], sinceMs: number): Promise<number[]> {
  const StartTime = new Date(sinceMs);
  // The end is in the future, because a value has the time at which its minute begins.
  const EndTime = new Date(Date.now() + minuteMs);
  const answer = await cloudWatch.getMetricData({ StartTime, EndTime, MetricDataQueries });
  return answer.MetricDataResults?.[0]?.Values ?? [];
}
