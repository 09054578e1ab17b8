import { once } from 'node:events';
import { connect } from 'node:http2';
import { finished } from 'node:stream/promises';
import { APIGateway, type ApiKey } from '@aws-sdk/client-api-gateway';
import { CloudWatch, type MetricDataQuery } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { Lambda, waitUntilFunctionUpdatedV2 } from '@aws-sdk/client-lambda';
import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { stackTag } from '../../../lib/settings/names.ts';
import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { reasonOf } from '../../shared/errors.ts';
import { selectChecks } from '../checks.ts';
import { type Check, CheckSkipped } from '../runner.ts';
import { headerOf } from '../stage/http-client.ts';
import { preflight } from '../stage/preflight.ts';
import { shown } from '../stage/stage.ts';
import { runEveryCommand } from './operator-commands.ts';
import { admin, eventually, gateway, settings, stack, type Trial } from './trial.ts';

/**
 * A check of a trial. Its group is a page, a colon, and words of the page that depend on the result. The checks of the
 * smoke test have other groups.
 */
type Row = Check<Trial>;

const lambda = new Lambda(settings);
const cloudWatch = new CloudWatch(settings);
const logs = new CloudWatchLogs(settings);

const unknownPath = 'docs/clients.md: no such path';
const emptyLog = 'docs/runbook.md: the access log stays empty';

/** All rows in their order. @param alarmTopic the ARN of the topic of the alarms */
export function acceptanceRows(alarmTopic: string): Row[] {
  return [
    // Waits until the key of a new owner works.
    row(
      'docs/runbook.md: 503, `INVALID_API_KEY`',
      'the time until a new gateway key works',
      'within 10 s',
      async (trial) => {
        const { createdDate } = await gatewayKey(trial);
        await preflight(trial.api);
        return secondsSince(createdDate!.getTime(), 10);
      },
    ),
    row(
      'docs/operating.md: `./admin owners repair`',
      'a gateway key that is created again, and added to its usage plan again',
      '409, 409',
      async (trial) => {
        const { name, value, id: keyId } = await gatewayKey(trial);
        const member = { usagePlanId: trial.outputs.UsagePlanIdPro, keyId, keyType: 'API_KEY' };
        const created = await statusOf(gateway.createApiKey({ name, value, enabled: true }));
        return `${created}, ${await statusOf(gateway.createUsagePlanKey(member))}`;
      },
    ),
    row(
      'docs/operating.md: allows all commands',
      "all operators' commands in a role with operator-policy.json",
      'succeeded',
      async (trial) => {
        await runEveryCommand((words, input) => admin(trial, words, input));
        return 'succeeded';
      },
    ),
    row(
      'docs/operating.md: These policies are for one stage',
      "PUT /tags with another stage's tag, and for another stage's key",
      '403, 403',
      async (trial) => {
        const { AccessKeyId, SecretAccessKey, SessionToken } = trial.operator;
        const credentials = {
          accessKeyId: AccessKeyId!,
          secretAccessKey: SecretAccessKey!,
          sessionToken: SessionToken!,
        };
        const client = new APIGateway({ ...settings, credentials });
        const [, , , region] = trial.outputs.AlarmTopicArn.split(':');
        const tag = ({ id }: ApiKey, value: string) => {
          const resourceArn = `arn:aws:apigateway:${region}::/apikeys/${id}`;
          return statusOf(client.tagResource({ resourceArn, tags: { [stackTag]: value } }));
        };
        // The key's name lets `remove` delete the key.
        const foreign = { name: `${stack}-own_foreign`, tags: { [stackTag]: 'another-stack' } };
        const given = await tag(await gatewayKey(trial), 'another-stack');
        return `${given}, ${await tag(await gateway.createApiKey(foreign), stack)}`;
      },
    ),
    // Imports so many orders that a list takes longer than a second.
    row(
      'docs/operating.md: Imported',
      'an import of 100,000 orders',
      'Imported 100,000 orders',
      (trial) => {
        const order = (_: unknown, index: number) =>
          `{"id":${index + 1},"petId":${index % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}`;
        const lines = Array.from({ length: 100_000 }, order);
        return admin(trial, ['orders', 'import', '-'], lines.join('\n'));
      },
    ),
    // The order 1 is imported.
    ...selectChecks({ cancelOrder: '1', limits: true, alarmTopic }).map(
      ({ run, ...check }): Row => ({ ...check, run: ({ api }) => run(api) }),
    ),
    // Resets the usage of the key, because the smoke test has used up its limit.
    row(
      'docs/operating.md: `owners reset-usage`',
      'a request after owners reset-usage',
      '410',
      async (trial) => {
        await admin(trial, ['owners', 'reset-usage', 'customer']);
        return shown(await trial.api.call('getPet'));
      },
    ),
    row(
      'docs/clients.md: finds both windows',
      'double quotes in headers that API Gateway sets',
      '"minute";q=300;w=60, "day";q=10000;w=86400; Bearer realm="',
      async ({ api }) => {
        const policy = headerOf(await api.call('getPet'), 'ratelimit-policy');
        const rejected = await api.call('getPet', { authorization: null });
        return `${policy}; ${headerOf(rejected, 'www-authenticate')}`;
      },
    ),
    row(unknownPath, 'a cancellation whose path ends with /', 'order_not_found', async ({ api }) =>
      shown(await api.call('cancelOrder', { orderId: '-1/' })),
    ),
    row(unknownPath, '/ping on a custom domain', '404', async () => {
      const domain = stageNames.map((name) => stageSettings(name).domain).find(Boolean);
      if (!domain) throw new CheckSkipped('no stage in lib/settings/stages.ts has a domain');
      return (await fetch(`https://${domain.name}/ping`)).status;
    }),
    // Each of the following rows stops another part of the stage, and no row starts a part again.
    row(
      'docs/clients.md: If the connection closes first',
      'a list over HTTP/2 that Lambda ends after a second',
      '200 without the last ]',
      async ({ outputs, api }) => {
        // Reads the list without compression, so that it takes longer than a second.
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
      },
    ),
    row(
      'docs/runbook.md: `Task timed out`',
      'the log of this timeout',
      'Task timed out',
      ({ signal, outputs }) =>
        eventually(signal, () => logLine(outputs.ListOrdersLogGroupName, '"Task timed out"')),
    ),
    row(
      'docs/runbook.md: 503, `INTEGRATION_FAILURE`',
      'a throttled list',
      'status 503, integrationStatus 429, errorType INTEGRATION_FAILURE',
      async ({ api, outputs, signal }) => {
        const startTime = Date.now();
        await stop(outputs.ListOrdersFunctionName);
        const line = await eventually(signal, async () => {
          await api.call('listOrders');
          return logLine(outputs.AccessLogGroupName, '{ $.status != "200" }', startTime);
        });
        const { status, integrationStatus, errorType } = JSON.parse(line);
        return `status ${status}, integrationStatus ${integrationStatus}, errorType ${errorType}`;
      },
    ),
    row(
      'docs/runbook.md: is raised in these minutes',
      'the time from an error to its alarm',
      'ALARM within 300 s',
      async ({ api, outputs, signal }) => {
        // Keeps sending requests without an authorizer until the alarm is on.
        await stop(outputs.AuthorizerFunctionName);
        const startedMs = Date.now();
        return eventually(signal, async () => {
          await Promise.all(Array.from({ length: 10 }, () => api.call('getPet')));
          const { StateValue } = await alarm('AuthorizerFailures');
          const seen = `${StateValue} ${secondsSince(startedMs, 300)}`;
          if (StateValue !== 'ALARM') throw new Error(seen);
          return seen;
        });
      },
    ),
    // The newest line must be recent, because the row before this one has sent requests until now.
    row(emptyLog, 'the age of the newest IncomingLogEvents', 'within 180 s', async () => {
      const { Metrics = [] } = await alarm('RequestsNotLogged');
      const lines = Metrics.find(({ Id }) => Id === 'lines')!;
      const { Timestamps: [newest] = [] } = await lastHourOf([{ ...lines, ReturnData: true }]);
      return newest ? secondsSince(newest.getTime(), 180) : 'none';
    }),
    row(emptyLog, 'FILL(…, 0) of a metric that has never existed', 'maximum 1', async () => {
      const { Metrics } = await alarm('RequestsNotLogged');
      const changed = JSON.stringify(Metrics).replace('IncomingLogEvents', 'NeverExisted');
      const { Values = [] } = await lastHourOf(JSON.parse(changed));
      return `maximum ${Math.max(...Values)}`;
    }),
    // The change of the TLS policy can take API Gateway a quarter of an hour.
    row(
      'docs/first-deploy.md: while nothing else changes API Gateway',
      'a change of the REST API while its TLS policy changes',
      'UPDATING: accepted',
      async ({ outputs, signal }) => {
        const { RestApiId: restApiId } = outputs;
        const change = (path: string, value: string) =>
          gateway.updateRestApi({ restApiId, patchOperations: [{ op: 'replace', path, value }] });
        const status = async () => (await gateway.getRestApi({ restApiId })).apiStatus;
        await change('/securityPolicy', 'SecurityPolicy_TLS13_1_3_2025_09');
        const during = await status();
        const outcome = await change('/description', '').then(() => 'accepted', reasonOf);
        // Until then, API Gateway may refuse to delete the REST API.
        await eventually(signal, async () => {
          if ((await status()) !== 'AVAILABLE') throw new Error('the REST API is still updating');
        });
        return `${during}: ${outcome}`;
      },
    ),
  ];
}

/** Creates a row. The result of `run` has to contain the expected text. */
function row(group: string, title: string, expected: string, run: Row['run']): Row {
  return { group, title, expected, run };
}

/** The gateway key of the trial's owner. */
async function gatewayKey({ ownerId }: Trial): Promise<ApiKey> {
  const nameQuery = `${stack}-${gatewayKeyValue(ownerId, 'pro')}`;
  const { items: [key] = [] } = await gateway.getApiKeys({ nameQuery, includeValues: true });
  if (!key) throw new Error(`there is no gateway key ${nameQuery}`);
  return key;
}

/** The status of AWS's response, even if AWS refuses the call. */
async function statusOf(call: Promise<{ $metadata: { httpStatusCode?: number } }>) {
  const { $metadata } = await call.catch((error) => error);
  return $metadata?.httpStatusCode;
}

/** The first line of a log that a filter pattern matches. @throws Error if there is none */
async function logLine(logGroupName: string, filterPattern: string, startTime = 0) {
  const query = { logGroupName, filterPattern, startTime };
  for await (const { events = [] } of paginateFilterLogEvents({ client: logs }, query)) {
    if (events[0]?.message) return events[0].message;
  }
  throw new Error(`${logGroupName} has no line with ${filterPattern}`);
}

/** Lets Lambda refuse all invocations of a function. */
function stop(FunctionName: string): Promise<unknown> {
  return lambda.putFunctionConcurrency({ FunctionName, ReservedConcurrentExecutions: 0 });
}

/** @param id the alarm's id in lib/monitoring/alarms.ts */
async function alarm(id: string) {
  const AlarmNamePrefix = `${stack}-Monitoring${id}`;
  const { MetricAlarms: [found] = [] } = await cloudWatch.describeAlarms({ AlarmNamePrefix });
  if (!found) throw new Error(`there is no alarm ${AlarmNamePrefix}`);
  return found;
}

/** The values of the query that returns data, from the newest minute to the oldest. */
async function lastHourOf(MetricDataQueries: MetricDataQuery[]) {
  const StartTime = new Date(Date.now() - 3_600_000);
  const query = { StartTime, EndTime: new Date(), MetricDataQueries };
  return (await cloudWatch.getMetricData(query)).MetricDataResults![0]!;
}

/** Compares the time since a moment, which is in Unix milliseconds, with a limit in seconds. */
function secondsSince(startedMs: number, limit: number): string {
  const seconds = Math.round((Date.now() - startedMs) / 1_000);
  return `${seconds <= limit ? 'within' : 'later than'} ${limit} s (${seconds} s)`;
}
