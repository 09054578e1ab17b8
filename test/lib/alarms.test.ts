import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { metricNamespace } from '../../lambdas/contract/metric-definitions.ts';
import { stackName } from '../../lib/settings/names.ts';
import { testEnv } from '../helpers/stage-for-tests.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { properties } from './readable.ts';

/* Computes when alarms are raised, from the patterns and the expressions in the template. */

/** Properties as the template has them. */
type Properties = ReturnType<typeof properties>[string];

/** The values of metrics in one period, by their statistics and names, such as `Sum KeysBanned`. */
type Values = Readonly<Record<string, number>>;

/** The fields of a line that the patterns read. API Gateway writes `-` for an unknown value. */
type Line = Readonly<Record<string, string>>;

const cancelled: Line = {
  ...{ stage: 'prod', method: 'DELETE', resource: '/v1/store/orders/{orderId}' },
  ...{ keyId: 'key_1', status: '204', errorType: '-', integrationStatus: '200' },
};
const crashed = { ...cancelled, status: '503', errorType: 'INTEGRATION_FAILURE' };
const withoutKey = { ...cancelled, keyId: '-', integrationStatus: '-' };
const limited = { ...cancelled, status: '429', integrationStatus: '-' };
const failedAuthorizer = { ...withoutKey, status: '503', errorType: 'AUTHORIZER_FAILURE' };
const refusedList = { ...crashed, resource: '/v1/store/orders', integrationStatus: '429' };

/** The requests that a client can send in any number without being served, and the metrics that count them. */
const floods: readonly (readonly [Line, string])[] = [
  [{ ...withoutKey, status: '404' }, 'ClientErrors'],
  [{ ...withoutKey, status: '401', errorType: 'UNAUTHORIZED' }, 'ClientErrors'],
  [{ ...withoutKey, method: 'OPTIONS' }, ''],
  [{ ...withoutKey, status: '-' }, ''],
  [{ ...limited, errorType: 'ACCESS_DENIED' }, 'ClientErrors TooManyRequests'],
  [{ ...cancelled, status: '404' }, 'RequestsAdmitted ClientErrors'],
  [refusedList, 'RequestsAdmitted ListsRefused'],
];
const countedBy: ReadonlyMap<Line, string> = new Map([
  ...floods,
  [cancelled, 'RequestsAdmitted RequestsAccepted'],
  [crashed, 'RequestsAdmitted RequestsAccepted ServerErrors'],
  [failedAuthorizer, 'RequestsAccepted ServerErrors AuthorizerFailures'],
]);

it.each([...countedBy])('The line %j is counted by: %s', (line, expected) => {
  const filters = Object.values(properties('prod', 'AWS::Logs::MetricFilter'));

  const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, line));

  const names = counting.map(({ MetricTransformations: [{ MetricName }] }) => MetricName);
  expect(names.join(' ')).toBe(expected);
});

describe('The alarm', () => {
  it.each([
    ['ServerErrors', 'everything fails', true, 0, 60],
    ['ServerErrors', 'a canary fails', true, 54, 6],
    ['ServerErrors', 'one in 50 fails', true, 980, 20],
    ['ServerErrors', 'one in 200 fails', false, 1_990, 10],
    ['ServerErrors', 'four fail in a quiet night', false, 2, 4],
    ['ServerErrors', 'nobody calls', false, 0, 0],
  ])('%s, if %s, is raised (%s), however many are refused', (id, _, isRaised, served, failed) => {
    for (const [flood] of floods) {
      for (const refused of [0, 1_000, 10_000_000]) {
        const lines = new Map([
          [cancelled, served],
          [crashed, failed],
          [flood, refused],
        ] as const);

        expect([flood, refused, isRaisedBy(valuesOf(lines), id)]).toEqual([
          flood,
          refused,
          isRaised,
        ]);
      }
    }
  });

  const percentFast = 'PR(:1000) CancellationLatency';
  const cancellations = { 'SampleCount CancellationLatency': 100 };
  const someRequests = { 'SampleCount Count': 1 };
  it.each<[string, string, number, number, Values?]>([
    ['AuthorizerFailures', 'Sum AuthorizerFailures', 4, 5],
    ['ListsRefused', 'Sum ListsRefused', 4, 5],
    ['ListsBrokenOff', 'Sum ListsBrokenOff', 0, 1],
    ['UnlistedItems', 'Maximum UnlistedItems', 0, 1],
    ['RequestFlood', 'SampleCount Count', 300_000, 300_001],
    ['RisingBans', 'Sum KeysBanned', 5, 6],
    ['SlowCancellations', percentFast, 99, 98.9, cancellations],
    ['ApiKeyReadsThrottled', 'Sum ReadThrottleEvents ApiKeys', 0, 1, someRequests],
    ['ApiKeyWritesThrottled', 'Sum WriteThrottleEvents ApiKeys', 0, 1, someRequests],
    ['OrderReadsThrottled', 'Sum ReadThrottleEvents Orders', 0, 1, someRequests],
    ['OrderWritesThrottled', 'Sum WriteThrottleEvents Orders', 0, 1, someRequests],
    ['RequestsNotLogged', 'SampleCount Count', 4, 5],
    ['RequestsNotLogged', 'Sum IncomingLogEvents', 1, 0, { 'SampleCount Count': 10_000_000 }],
  ])('%s is not raised if %s is %d, and is raised if it is %d', (...given) => {
    const [id, name, calm, problem, others] = given;

    const isRaised = [calm, problem].map((value) => isRaisedBy({ ...others, [name]: value }, id));

    expect(isRaised).toEqual([false, true]);
  });

  it('SlowCancellations is not raised by a slow cancellation among few', () => {
    const few = { 'SampleCount CancellationLatency': 99, [percentFast]: 0 };

    expect(isRaisedBy(few, 'SlowCancellations')).toBe(false);
  });
});

// An alarm on a metric of DynamoDB keeps its state without data, and DynamoDB reports no zeros.
it.each(['ApiKeyReads', 'ApiKeyWrites', 'OrderReads', 'OrderWrites'])(
  'The alarm %sThrottled ends in a minute with requests and without throttling',
  (id) => {
    expect(comparedValue({ 'SampleCount Count': 1 }, `${id}Throttled`)).toBe(0);
  },
);

describe.each(stageNames)('The alarms of %s', (stage) => {
  const alarms = properties(stage, 'AWS::CloudWatch::Alarm');

  it('are raised after the number of periods, of the length, that each problem allows', () => {
    const periods = Object.groupBy(Object.entries(alarms), ([, alarm]) => {
      const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
      const lengths = new Set(metricsIn(alarm).map(({ periodSeconds }) => periodSeconds));
      return `${DatapointsToAlarm} of ${EvaluationPeriods} of ${[...lengths]} s`;
    });

    const found = Object.entries(periods).map(([period, all]) => {
      return [period, all!.map(([id]) => id.replace('Monitoring', '')).sort()];
    });
    expect(Object.fromEntries(found)).toEqual({
      '2 of 3 of 60 s': [
        ...['ApiKeyReadsThrottled', 'ApiKeyWritesThrottled', 'AuthorizerFailures'],
        ...['ListsBrokenOff', 'ListsRefused'],
        ...['OrderReadsThrottled', 'OrderWritesThrottled', 'ServerErrors'],
      ],
      '3 of 3 of 60 s': ['RequestsNotLogged'],
      '3 of 3 of 300 s': ['SlowCancellations'],
      '1 of 1 of 600 s': ['RequestFlood'],
      '1 of 1 of 900 s': ['RisingBans'],
      '1 of 1 of 3600 s': ['UnlistedItems'],
    });
  });

  it('watch only metrics of their stage', () => {
    const ofStage: Readonly<Record<string, object>> = {
      'AWS/ApiGateway': { ApiName: stackName(stage), Stage: stage },
      'AWS/DynamoDB': { TableName: expect.stringMatching(/^\$\{Tables/) },
      'AWS/Logs': { LogGroupName: '${ApiAccessLogs}' },
      [metricNamespace]: { Stage: stage },
    };

    for (const { namespace, dimensions } of Object.values(alarms).flatMap(metricsIn)) {
      expect({ namespace, dimensions }).toEqual({ namespace, dimensions: ofStage[namespace] });
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
        Condition: { StringEquals: { 'aws:SourceAccount': testEnv.account } },
      },
    ]);
  });

  it('read metrics from the access log, by patterns with the field of the dimension', () => {
    for (const filter of Object.values(properties(stage, 'AWS::Logs::MetricFilter'))) {
      expect(filter).toEqual({
        LogGroupName: '${ApiAccessLogs}',
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

/** Whether an alarm is raised after periods with these values. */
function isRaisedBy(values: Values, id: string): boolean {
  const { ComparisonOperator, Threshold } = alarmOf(id);
  expect(ComparisonOperator).toBe('GreaterThanThreshold');
  const value = comparedValue(values, id);
  // Metric math drops a value that is divided by 0:
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
  return Number.isFinite(value) && value > Threshold;
}

/** The value that an alarm compares with its threshold; undefined in a period without a value. */
function comparedValue(values: Values, id: string) {
  const alarm = alarmOf(id);
  const query = alarm.Metrics?.find(({ Expression }: Properties) => Expression);
  const ofMetrics = metricsIn(alarm).map(({ id, name }) => [id, values[name]]);
  const variables = { ...functions, ...Object.fromEntries(ofMetrics) };
  return runInNewContext(query?.Expression ?? 'value', variables);
}

const alarmOf = (id: string) => properties('prod', 'AWS::CloudWatch::Alarm')[`Monitoring${id}`];

const functions = {
  IF: (condition: number, value: number, otherwise?: number) => (condition ? value : otherwise),
  FILL: (value: number, filler: number) => value || filler,
};

/** The metrics that an alarm watches, each with its id in the alarm's expression. */
function metricsIn(alarm: Properties) {
  // An alarm without an expression has the properties of its only metric.
  const only = { Metric: alarm, Stat: alarm.Statistic, Period: alarm.Period };
  const queries: Properties[] = alarm.Metrics ?? [{ Id: 'value', MetricStat: only }];
  const ofMetrics = queries.filter(({ MetricStat }) => MetricStat);
  return ofMetrics.map(({ Id, MetricStat: { Metric, Stat, Period } }) => {
    const dimensions: Record<string, string> = Object.fromEntries(
      (Metric.Dimensions ?? []).map(({ Name, Value }: Properties) => [Name, Value]),
    );
    const table = dimensions.TableName?.replace(/\$\{Tables(\w+)\}/, ' $1') ?? '';
    const name = `${Stat} ${Metric.MetricName}${table}`;
    return { id: Id, name, periodSeconds: Period, namespace: Metric.Namespace, dimensions };
  });
}

/** The metrics that count numbers of lines in the access log. */
function valuesOf(lines: ReadonlyMap<Line, number>): Values {
  const values: Record<string, number> = {};
  for (const [line, count] of lines) {
    for (const metric of countedBy.get(line)!.split(' ')) {
      values[`Sum ${metric}`] = (values[`Sum ${metric}`] ?? 0) + count;
    }
  }
  return values;
}

/**
 * Whether a metric filter counts a line.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
function matches(pattern: string, line: Line): boolean {
  const compared = pattern.replaceAll(/\$\.(\w+) (!?)= "([^"]*)"/g, (_, field, not, text) => {
    const value = line[field]!;
    const isEqual = text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text;
    return String(isEqual !== (not === '!'));
  });
  return runInNewContext(compared.slice(1, -1));
}
