import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metricNamespace, metricUnits } from '../../lambdas/domain/metric-definitions.ts';
import { logFields } from '../../lambdas/runtime/api-handler.ts';
import { log } from '../../lambdas/runtime/log.ts';
import { runtimeFailure } from '../../lib/monitoring/saved-queries.ts';
import { functionNames } from '../../lib/settings/functions.ts';
import { capitalized, stackName } from '../../lib/settings/names.ts';
import { expectContained } from '../helpers/agreement.ts';
import { captureLines } from '../helpers/captured-lines.ts';
import { proxyEvent, requestContext } from '../helpers/functions/events.ts';
import { testAccount, testRegion } from '../helpers/stage-for-tests.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { properties } from './readable.ts';

/** Properties as the template has them. */
type Properties = ReturnType<typeof properties>[string];

const metric = (name: string, stat = 'Sum') => `[${stat} of ${metricNamespace} ${name}]`;
const errors = metric('ServerErrors');
const accepted = metric('RequestsAccepted');
const cancellations = metric('CancellationLatency', 'SampleCount');
const percentSlow = `100 - ${metric('CancellationLatency', 'PR(:1000)')}`;
const requests = '[SampleCount of AWS/ApiGateway Count]';
const lines = '[Sum of AWS/Logs IncomingLogEvents]';

const availability = `IF(${accepted} >= 1000, ${errors} / ${accepted} / 0.001, 0)`;
const latency = `IF(${cancellations} >= 100, (${percentSlow}) / 100 / 0.01, 0)`;
const fastBurn = '> 14.4 in 1 of 1 periods of 3600 s';
const slowBurn = '> 6 in 1 of 1 periods of 21600 s';
const throttled = (table: string, kind: string) =>
  `IF(${requests} > 0, FILL([Sum of AWS/DynamoDB ${kind}ThrottleEvents \${Tables${table}}], 0)) > 0 in 2 of 3 periods of 60 s`;

/** What each alarm watches, and when it is raised. */
const expectedAlarms: Readonly<Record<string, string>> = {
  ServerErrors: `IF(${errors} >= 5, 100 * ${errors} / ${accepted}, 0) > 1 in 2 of 3 periods of 60 s`,
  AuthorizerFailures: `${metric('AuthorizerFailures')} > 4 in 2 of 3 periods of 60 s`,
  ListsRefused: `${metric('ListsRefused')} > 4 in 2 of 3 periods of 60 s`,
  ListsBrokenOff: `${metric('ListsBrokenOff')} > 0 in 2 of 3 periods of 60 s`,
  UnlistedItems: `${metric('UnlistedItems', 'Maximum')} > 0 in 1 of 1 periods of 3600 s`,
  // IF treats a missing value as 0, even if FILL has nothing to fill.
  RequestsNotLogged: `IF(${requests} >= 5, FILL(${lines}, 0)) < 1 in 3 of 3 periods of 60 s`,
  AvailabilityFastBurn: `${availability} ${fastBurn}`,
  AvailabilitySlowBurn: `${availability} ${slowBurn}`,
  CancelLatencyFastBurn: `${latency} ${fastBurn}`,
  CancelLatencySlowBurn: `${latency} ${slowBurn}`,
  SlowCancellations: `IF(${cancellations} >= 100, ${percentSlow}, 0) > 1 in 3 of 3 periods of 300 s`,
  ApiKeyReadsThrottled: throttled('ApiKeys', 'Read'),
  ApiKeyWritesThrottled: throttled('ApiKeys', 'Write'),
  OrderReadsThrottled: throttled('Orders', 'Read'),
  OrderWritesThrottled: throttled('Orders', 'Write'),
  RequestFlood: `${requests} > 300000 in 1 of 1 periods of 600 s`,
  RisingBans: `${metric('KeysBanned')} > 5 in 1 of 1 periods of 900 s`,
};

/** The metrics of AWS that are shown or watched, as its documentation names them. */
const metricsOfAws = [
  'AWS/ApiGateway Count',
  'AWS/DynamoDB ReadThrottleEvents',
  'AWS/DynamoDB WriteThrottleEvents',
  'AWS/Logs IncomingLogEvents',
];

describe.each(stageNames)('alarms of %s', (stage) => {
  const alarms = properties(stage, 'AWS::CloudWatch::Alarm');

  it('are exactly those that this test expects', () => {
    const found = Object.entries(alarms).map(([id, alarm]) => [
      id.replace('Monitoring', ''),
      describeAlarm(alarm),
    ]);

    expect(Object.fromEntries(found)).toEqual(expectedAlarms);
  });

  it('watch only metrics of their stage', () => {
    const ofStage: Readonly<Record<string, object>> = {
      'AWS/ApiGateway': { ApiName: stackName(stage), Stage: stage },
      'AWS/DynamoDB': { TableName: expect.stringMatching(/^\$\{Tables/) },
      'AWS/Logs': { LogGroupName: '${ApiAccessLogs}' },
      [metricNamespace]: { Stage: stage },
    };

    for (const { namespace, dimensions } of Object.values(alarms).flatMap(metricsIn)) {
      expect(dimensions).toEqual(ofStage[namespace]);
    }
  });

  it('notify the topic when they begin, which they do not without data, and when they end', () => {
    const topic = '${MonitoringAlarmTopic}';

    for (const alarm of Object.values(alarms)) {
      expect(alarm).toMatchObject({
        AlarmActions: [topic],
        OKActions: [topic],
        TreatMissingData: 'notBreaching',
      });
      // CloudWatch rejects it together with metric math.
      expect(alarm).not.toHaveProperty('EvaluateLowSampleCountPercentile');
    }
    const [{ PolicyDocument }] = Object.values(properties(stage, 'AWS::SNS::TopicPolicy'));
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sns:Publish',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      {
        Sid: '1',
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Resource: topic,
        Condition: { StringEquals: { 'aws:SourceAccount': testAccount } },
      },
    ]);
  });

  it('read metrics from the access log, by patterns with the field of the dimension', () => {
    for (const filter of Object.values(properties(stage, 'AWS::Logs::MetricFilter'))) {
      expect(filter).toEqual({
        LogGroupName: '${ApiAccessLogs}',
        // test/lib/alarms.test.ts has the lines that each counts.
        FilterPattern: expect.stringMatching(/ && \$\.stage = "\*" }$/),
        MetricTransformations: [
          {
            MetricNamespace: metricNamespace,
            MetricName: expect.any(String),
            MetricValue: '1',
            Dimensions: [{ Key: 'Stage', Value: '$.stage' }],
          },
        ],
      });
    }
  });
});

describe.each(stageNames)('dashboard of %s', (stage) => {
  const [{ DashboardName, DashboardBody }] = Object.values(
    properties(stage, 'AWS::CloudWatch::Dashboard'),
  );
  const { widgets } = JSON.parse(DashboardBody);

  it('shows every alarm', () => {
    const alarms = Object.keys(properties(stage, 'AWS::CloudWatch::Alarm'));

    expect(DashboardName).toBe(`${stackName(stage)}-${testRegion}`);
    expect(widgets[0].properties.alarms.sort()).toEqual(alarms.map((id) => `\${${id}.Arn}`).sort());
  });

  it('shows every metric of the functions and of the access log, and none that nobody writes, as the alarms', () => {
    const counted = Object.values(properties(stage, 'AWS::Logs::MetricFilter')).map(
      ({ MetricTransformations: [{ MetricName }] }) => MetricName as string,
    );
    const own = [...Object.keys(metricUnits), ...counted].map(
      (name) => `${metricNamespace} ${name}`,
    );
    const shown: string[] = widgets
      .flatMap(
        (widget: { properties: { metrics?: unknown[][] } }) => widget.properties.metrics ?? [],
      )
      .map(([namespace, name]: unknown[]) => `${namespace} ${name}`);
    const inAlarms = Object.values(expectedAlarms)
      .join()
      .matchAll(/\[\S+ of (\S+ \w+)/g);
    const watched = [...inAlarms].map(([, name]) => name!);

    const place = 'lambdas/domain/metric-definitions.ts, the access log or AWS';
    expectContained([place, own], ['lib/monitoring/dashboard.ts', shown]);
    expectContained(['lib/monitoring', [...shown, ...watched]], [place, [...own, ...metricsOfAws]]);
  });
});

it('every metric of the functions is recorded by one of them', () => {
  const place = 'lambdas/domain/metric-definitions.ts';
  const others = globSync('lambdas/**/*.ts').filter((file) => file !== place);
  const named = others.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []);

  expectContained([place, Object.keys(metricUnits)], ['lambdas', named]);
});

describe.each(stageNames)('saved queries of %s', (stage) => {
  const logsOfFunctions = functionNames.map((name) => `\${${capitalized(name)}Logs}`);
  const saved = Object.values(properties(stage, 'AWS::Logs::QueryDefinition'));

  it.each([
    ['function-errors', logsOfFunctions, `level = "ERROR" or @message like ${runtimeFailure}`],
    ['server-errors', ['${ApiAccessLogs}'], 'status like /^5/'],
    ['execution-errors', ['${ApiExecutionLogs}'], '@message like /failed/'],
    ['cancellations-of-order', ['${CancelOrderLogs}'], 'orderId = "ORDER_ID"'],
    ['bans-by-key', ['${AuthorizerLogs}'], 'ispresent(KeysBanned)'],
  ])('find %s', (name, logs, filter) => {
    const { LogGroupNames, QueryString } = saved.find(({ Name }) => Name.endsWith(`/${name}`))!;

    expect(QueryString).toContain(`filter ${filter}\n`);
    expect(LogGroupNames).toEqual(logs);
  });

  it('read only metrics and fields that their logs have', () => {
    const event = proxyEvent({ requestContext: requestContext({ extendedRequestId: 'id' }) });
    const logs = captureLines();
    log.error('failed', new Error('outer', { cause: 'inner' }), logFields(event));
    const [line] = logs.lines();
    logs.release();
    const [{ AccessLogSetting }] = Object.values(properties(stage, 'AWS::ApiGateway::Stage'));
    // test/lambdas/cancel-order.test.ts expects these in the line of a cancellation.
    const ofCancellation = ['Outcome', 'orderId', 'cancelRequestId', 'sourceIp'];
    const ofFunctions = [
      ...Object.keys(line!),
      ...Object.keys(line!.error as object),
      '@message',
      ...ofCancellation,
    ];

    expect(saved.flatMap(({ QueryString }) => fieldsIn(QueryString))).toContain('KeysBanned');
    for (const { LogGroupNames, QueryString } of saved) {
      expectContained(
        ['lib/monitoring/saved-queries.ts', fieldsIn(QueryString)],
        LogGroupNames.join() === '${ApiAccessLogs}'
          ? ['lib/api/access-logs.ts', Object.keys(JSON.parse(AccessLogSetting.Format))]
          : ['the logs of the functions', [...ofFunctions, ...Object.keys(metricUnits)]],
      );
    }
  });
});

// These lines are Lambda's own; test/aws-runtime/ has that of its runtime for Node.
it.each([
  [true, 'INIT_REPORT Init Duration: 150.79 ms\tPhase: init\tStatus: error\tError Type: Error'],
  [true, 'INIT_REPORT Init Duration: 9999.79 ms\tPhase: init\tStatus: timeout'],
  [true, '2026-11-20T09:30:00.000Z 6f1d3c3a Task timed out after 5.00 seconds'],
  [true, 'RequestId: 6f1d3c3a Error: Runtime exited with error: signal: killed'],
  [true, '2026-11-20T09:30:00.000Z\tundefined\tERROR\tInit Error \t{"errorType":"Error"}'],
  [false, 'START RequestId: 6f1d3c3a Version: 7'],
  // The authorizer throws for a key that is not valid.
  [false, '2026-11-20T09:30:00.000Z\t6f1d3c3a\tERROR\tInvoke Error \t{"errorType":"Error"}'],
  [false, 'REPORT RequestId: 6f1d3c3a\tDuration: 9.14 ms\tStatus: error\tError Type: Error'],
])('the saved query for errors finds (%s) the line %j', (isFailure, line) => {
  expect(runtimeFailure.test(line)).toBe(isFailure);
});

/** An alarm in the form of `expectedAlarms`: its expression, with each metric in place of the metric's id. */
function describeAlarm(alarm: Properties): string {
  const metrics = metricsIn(alarm);
  const query = alarm.Metrics?.find(({ Expression }: Properties) => Expression);
  let value: string = query ? query.Expression : metrics[0]!.id;
  for (const { id, name } of metrics) value = value.replaceAll(id, name);
  const sign = alarm.ComparisonOperator === 'LessThanThreshold' ? '<' : '>';
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold } = alarm;
  const [seconds, ...others] = new Set(metrics.map(({ periodSeconds }) => periodSeconds));
  expect(others).toEqual([]);
  return `${value} ${sign} ${Threshold} in ${DatapointsToAlarm} of ${EvaluationPeriods} periods of ${seconds} s`;
}

/** The metrics that an alarm watches, each with its id in the alarm's expression. */
function metricsIn(alarm: Properties) {
  // An alarm without an expression has the properties of its only metric.
  const only = { Metric: alarm, Stat: alarm.Statistic, Period: alarm.Period };
  const queries: Properties[] = alarm.Metrics ?? [{ Id: 'value', MetricStat: only }];
  const ofMetrics = queries.filter(({ MetricStat }) => MetricStat);
  return ofMetrics.map(({ Id, MetricStat: { Metric, Stat, Period } }) => {
    const { Namespace, MetricName, Dimensions } = Metric;
    const dimensions: Record<string, string> = Object.fromEntries(
      Dimensions.map(({ Name, Value }: Properties) => [Name, Value]),
    );
    const table = dimensions.TableName ? ` ${dimensions.TableName}` : '';
    const name = `[${Stat} of ${Namespace} ${MetricName}${table}]`;
    return { id: Id as string, name, periodSeconds: Period, namespace: Namespace, dimensions };
  });
}

/** The names in a query that are neither the language's own nor given by `as`. */
function fieldsIn(text: string): string[] {
  const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\b\w+\(\*?|\d+\w*/g, ' ').match(/\b[a-z]\w*/gi)!;
  const given = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name!);
  const language = 'filter stats sort by as and or in like desc display limit'.split(' ');
  return words.filter((word) => ![...language, ...given].includes(word));
}
