import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metricNamespace, metricUnits } from '../../lambdas/domain/metric-definitions.ts';
import { logFields } from '../../lambdas/runtime/api-handler.ts';
import { log } from '../../lambdas/runtime/log.ts';
import { runtimeFailure } from '../../lib/monitoring/saved-queries.ts';
import { functionNames } from '../../lib/settings/functions.ts';
import { capitalized, stackName } from '../../lib/settings/names.ts';
import { captureLines } from '../helpers/captured-lines.ts';
import { missing } from '../helpers/differences.ts';
import { proxyEvent, requestContext } from '../helpers/functions/events.ts';
import { testAccount } from '../helpers/stage-for-tests.ts';
import { type StageName, stageNames } from '../helpers/synthesized.ts';
import { properties } from './readable.ts';

/** Properties as the template has them. */
type Properties = ReturnType<typeof properties>[string];

/** The value that an alarm watches: `expression` over `metrics`, or one metric. Periods are in seconds. */
interface ExpectedAlarm {
  readonly metrics: Readonly<Record<string, string>>;
  readonly expression?: string;
  readonly period: number;
  readonly above?: number;
  readonly below?: number;
  readonly points: string;
}

const errors = `Sum of ${metricNamespace} ServerErrors`;
const accepted = `Sum of ${metricNamespace} RequestsAccepted`;
const requests = 'SampleCount of AWS/ApiGateway Count';
const latency = `of ${metricNamespace} CancellationLatency`;

const availability = {
  metrics: { errors, requests: accepted },
  expression: 'IF(requests >= 1000, errors / requests / 0.001, 0)',
  points: '1 of 1',
};
const cancelLatency = {
  metrics: { percentWithin: `PR(:1000) ${latency}`, requests: `SampleCount ${latency}` },
  expression: 'IF(requests >= 100, (100 - percentWithin) / 100 / 0.01, 0)',
  points: '1 of 1',
};
const fastBurn = { period: 3_600, above: 14.4 };
const slowBurn = { period: 21_600, above: 6 };
const throttled = (table: string, kind: string) => ({
  metrics: { value: `Sum of AWS/DynamoDB ${kind}ThrottleEvents \${Tables${table}}` },
  period: 60,
  above: 0,
  points: '2 of 3',
});

const expectedAlarms: Readonly<Record<string, ExpectedAlarm>> = {
  ServerErrors: {
    metrics: { errors, accepted },
    expression: 'IF(errors >= 5, 100 * errors / accepted, 0)',
    period: 60,
    above: 1,
    points: '2 of 3',
  },
  AuthorizerFailures: {
    metrics: { value: `Sum of ${metricNamespace} AuthorizerFailures` },
    period: 60,
    above: 4,
    points: '2 of 3',
  },
  ListsRefused: {
    metrics: { value: `Sum of ${metricNamespace} ListsRefused` },
    period: 60,
    above: 4,
    points: '2 of 3',
  },
  ListsBrokenOff: {
    metrics: { value: `Sum of ${metricNamespace} ListsBrokenOff` },
    period: 60,
    above: 0,
    points: '2 of 3',
  },
  UnlistedItems: {
    metrics: { value: `Maximum of ${metricNamespace} UnlistedItems` },
    period: 3_600,
    above: 0,
    points: '1 of 1',
  },
  RequestsNotLogged: {
    metrics: { requests, lines: 'Sum of AWS/Logs IncomingLogEvents ${ApiAccessLogs}' },
    // IF treats a missing value as 0, even if FILL has nothing to fill.
    expression: 'IF(requests >= 5, FILL(lines, 0))',
    period: 60,
    below: 1,
    points: '3 of 3',
  },
  AvailabilityFastBurn: { ...availability, ...fastBurn },
  AvailabilitySlowBurn: { ...availability, ...slowBurn },
  CancelLatencyFastBurn: { ...cancelLatency, ...fastBurn },
  CancelLatencySlowBurn: { ...cancelLatency, ...slowBurn },
  SlowCancellations: {
    metrics: cancelLatency.metrics,
    expression: 'IF(requests >= 100, 100 - percentWithin, 0)',
    period: 300,
    above: 1,
    points: '3 of 3',
  },
  ApiKeyReadsThrottled: throttled('ApiKeys', 'Read'),
  ApiKeyWritesThrottled: throttled('ApiKeys', 'Write'),
  OrderReadsThrottled: throttled('Orders', 'Read'),
  OrderWritesThrottled: throttled('Orders', 'Write'),
  RisingBans: {
    metrics: { value: `Sum of ${metricNamespace} KeysBanned` },
    period: 900,
    above: 5,
    points: '1 of 1',
  },
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
      describeAlarm(alarm, stage),
    ]);

    expect(Object.fromEntries(found)).toEqual(expectedAlarms);
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

    expect(DashboardName).toBe(stackName(stage));
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
    const watched = Object.values(expectedAlarms)
      .flatMap(({ metrics }) => Object.values(metrics))
      .map((text) => / of (\S+ \S+)/.exec(text)![1]!);

    const place = 'lambdas/domain/metric-definitions.ts, the access log or AWS';
    expect([
      ...missing([place, own], ['lib/monitoring/dashboard.ts', shown]),
      ...missing(['lib/monitoring', [...shown, ...watched]], [place, [...own, ...metricsOfAws]]),
    ]).toEqual([]);
  });
});

describe('every metric of the functions', () => {
  it('is recorded by one of them', () => {
    const place = 'lambdas/domain/metric-definitions.ts';
    const others = globSync('lambdas/**/*.ts').filter((file) => file !== place);
    const named = others.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []);

    expect(missing([place, Object.keys(metricUnits)], ['lambdas', named])).toEqual([]);
  });
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
    const unknown = saved.flatMap(({ LogGroupNames, QueryString }) =>
      missing(
        ['lib/monitoring/saved-queries.ts', fieldsIn(QueryString)],
        LogGroupNames.join() === '${ApiAccessLogs}'
          ? ['lib/api/access-logs.ts', Object.keys(JSON.parse(AccessLogSetting.Format))]
          : ['the logs of the functions', [...ofFunctions, ...Object.keys(metricUnits)]],
      ),
    );

    expect(saved.flatMap(({ QueryString }) => fieldsIn(QueryString))).toContain('KeysBanned');
    expect(unknown).toEqual([]);
  });
});

describe('the saved query for errors', () => {
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
  ])('finds (%s) the line %j', (isFailure, line) => {
    expect(runtimeFailure.test(line)).toBe(isFailure);
  });
});

/** An alarm in the words of `expectedAlarms`, which leave out that its metrics are those of its stage. */
function describeAlarm(alarm: Properties, stage: StageName): ExpectedAlarm {
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, Threshold } = alarm;
  const single = { Metric: alarm, Stat: alarm.Statistic, Period: alarm.Period };
  const queries: Properties[] = alarm.Metrics ?? [{ MetricStat: single }];
  const stats = queries.filter(({ MetricStat }) => MetricStat);
  const [period, ...otherPeriods] = new Set(stats.map(({ MetricStat }) => MetricStat.Period));
  expect(otherPeriods).toEqual([]);
  const metrics = stats.map(({ Id, MetricStat: { Stat, Metric } }) => [
    queries.length === 1 ? 'value' : Id,
    `${Stat} of ${describeMetric(Metric, stage)}`,
  ]);
  const expression = queries.find(({ Expression }) => Expression)?.Expression;
  return {
    metrics: Object.fromEntries(metrics),
    ...(expression && { expression }),
    period,
    [alarm.ComparisonOperator === 'LessThanThreshold' ? 'below' : 'above']: Threshold,
    points: `${DatapointsToAlarm} of ${EvaluationPeriods}`,
  };
}

function describeMetric(metric: Properties, stage: StageName): string {
  const { Namespace, MetricName } = metric;
  const dimensions: { Name: string; Value: string }[] = metric.Dimensions;
  const own: Readonly<Record<string, string>> = { ApiName: stackName(stage), Stage: stage };
  const needed: Readonly<Record<string, readonly string[]>> = {
    'AWS/DynamoDB': ['TableName'],
    'AWS/Logs': ['LogGroupName'],
    [metricNamespace]: ['Stage'],
  };
  expect(dimensions.map(({ Name }) => Name)).toEqual(
    expect.arrayContaining([...(needed[Namespace] ?? Object.keys(own))]),
  );
  const others = dimensions.filter(({ Name, Value }) => own[Name] !== Value);
  return [Namespace, MetricName, ...others.map(({ Value }) => Value)].join(' ');
}

/** The names in a query that are neither the language's own nor given by `as`. */
function fieldsIn(text: string): string[] {
  const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\b\w+\(\*?|\d+\w*/g, ' ').match(/\b[a-z]\w*/gi)!;
  const given = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name!);
  const language = 'filter stats sort by as and or in like desc display limit'.split(' ');
  return words.filter((word) => ![...language, ...given].includes(word));
}
