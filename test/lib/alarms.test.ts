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

/** The values of metrics in one period, by their statistics and names, such as `Sum ServerErrors`. */
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

it.each<[Line, string]>([
  [cancelled, 'RequestsAdmitted RequestsAccepted'],
  [crashed, 'RequestsAdmitted RequestsAccepted ServerErrors'],
  [failedAuthorizer, 'RequestsAccepted ServerErrors AuthorizerFailures'],
  // A client can cause the following lines in any number without being served, so none of these requests counts as
  // accepted.
  [{ ...withoutKey, status: '404' }, 'ClientErrors'],
  [{ ...withoutKey, status: '401', errorType: 'UNAUTHORIZED' }, 'ClientErrors'],
  [{ ...withoutKey, method: 'OPTIONS' }, ''],
  [{ ...withoutKey, status: '-' }, ''],
  [{ ...limited, errorType: 'ACCESS_DENIED' }, 'ClientErrors TooManyRequests'],
  [{ ...cancelled, status: '404' }, 'RequestsAdmitted ClientErrors'],
  [refusedList, 'RequestsAdmitted ListsRefused'],
])('The line %j is counted by: %s', (line, expected) => {
  const filters = Object.values(properties('prod', 'AWS::Logs::MetricFilter'));

  const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, line));

  const names = counting.map(({ MetricTransformations: [{ MetricName }] }) => MetricName);
  expect(names.join(' ')).toBe(expected);
});

describe('The alarm', () => {
  const failed = (errors: number, accepted: number): Values => ({
    'Sum ServerErrors': errors,
    'Sum RequestsAccepted': accepted,
  });
  const slow = (percentWithinASecond: number, requests: number): Values => ({
    'PR(:1000) CancellationLatency': percentWithinASecond,
    'SampleCount CancellationLatency': requests,
  });
  const logged = (requests: number, lines?: number): Values => ({
    'SampleCount Count': requests,
    ...(lines && { 'Sum IncomingLogEvents': lines }),
  });
  it.each<[string, Values, Values]>([
    ['ServerErrors', failed(10, 1_000), failed(11, 1_000)],
    ['ServerErrors', failed(4, 6), failed(5, 6)],
    ['ServerErrors', failed(0, 0), failed(60, 60)],
    ['AuthorizerFailures', { 'Sum AuthorizerFailures': 4 }, { 'Sum AuthorizerFailures': 5 }],
    ['ListsRefused', { 'Sum ListsRefused': 4 }, { 'Sum ListsRefused': 5 }],
    ['ListsBrokenOff', { 'Sum ListsBrokenOff': 0 }, { 'Sum ListsBrokenOff': 1 }],
    ['UnlistedItems', { 'Maximum UnlistedItems': 0 }, { 'Maximum UnlistedItems': 1 }],
    ['RequestFlood', { 'SampleCount Count': 300_000 }, { 'SampleCount Count': 300_001 }],
    ['SlowCancellations', slow(99, 100), slow(98.9, 100)],
    ['SlowCancellations', slow(0, 99), slow(0, 100)],
    ['RequestsNotLogged', logged(4), logged(5)],
    ['RequestsNotLogged', logged(10_000_000, 1), logged(10_000_000)],
  ])('%s is not raised after periods with %j, and is raised after %j', (id, calm, problem) => {
    expect([calm, problem].map((values) => isRaisedBy(values, id))).toEqual([false, true]);
  });
});

describe('The alarms', () => {
  const alarms = properties('prod', 'AWS::CloudWatch::Alarm');

  it('are raised after the number of periods, of the length, that each problem allows', () => {
    const periods = Object.entries(alarms).map(([id, alarm]) => {
      const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods } = alarm;
      const seconds = [...new Set(metricsIn(alarm).map(({ periodSeconds }) => periodSeconds))];
      return [id.replace('Monitoring', ''), [DatapointsToAlarm, EvaluationPeriods, ...seconds]];
    });

    const twoOfThree = [2, 3, 60];
    expect(Object.fromEntries(periods)).toEqual({
      ServerErrors: twoOfThree,
      AuthorizerFailures: twoOfThree,
      ListsRefused: twoOfThree,
      ListsBrokenOff: twoOfThree,
      RequestsNotLogged: [3, 3, 60],
      SlowCancellations: [3, 3, 300],
      RequestFlood: [1, 1, 600],
      UnlistedItems: [1, 1, 3_600],
    });
  });

  it.each(stageNames)('watch only metrics of their stage: %s', (stage) => {
    const ofStage: Readonly<Record<string, object>> = {
      'AWS/ApiGateway': { ApiName: stackName(stage), Stage: stage },
      'AWS/Logs': { LogGroupName: '${ApiAccessLogs}' },
      [metricNamespace]: { Stage: stage },
    };
    const ofAlarms = Object.values(properties(stage, 'AWS::CloudWatch::Alarm'));

    for (const { namespace, dimensions } of ofAlarms.flatMap(metricsIn)) {
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
    }
    const [{ PolicyDocument }] = Object.values(properties('prod', 'AWS::SNS::TopicPolicy'));
    expect(PolicyDocument.Statement).toContainEqual({
      Sid: expect.any(String),
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Resource: topic,
      Condition: { StringEquals: { 'aws:SourceAccount': testEnv.account } },
    });
  });

  it('read metrics from the access log, by patterns with the field of the dimension', () => {
    for (const filter of Object.values(properties('prod', 'AWS::Logs::MetricFilter'))) {
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
  const alarm = properties('prod', 'AWS::CloudWatch::Alarm')[`Monitoring${id}`];
  expect(alarm.ComparisonOperator).toBe('GreaterThanThreshold');
  const query = alarm.Metrics?.find(({ Expression }: Properties) => Expression);
  const ofMetrics = metricsIn(alarm).map(({ id, name }) => [id, values[name] ?? noData]);
  const variables = { ...functions, ...Object.fromEntries(ofMetrics) };
  return runInNewContext(query?.Expression ?? 'value', variables) > alarm.Threshold;
}

/** The metric math that alarms use: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html */
const functions = {
  IF: (condition: number, value: number, otherwise: number) => (condition ? value : otherwise),
  FILL: (value: number | typeof noData, filler: number) => (value === noData ? filler : value),
};

/** The value of a metric without data. Only FILL turns it into a number. */
const noData = {
  valueOf() {
    throw new Error('The expression has no value, because it uses a metric without data');
  },
};

/** The metrics that an alarm watches, each with its id in the alarm's expression. */
function metricsIn(alarm: Properties) {
  // An alarm without an expression has the properties of its only metric.
  const only = { Metric: alarm, Stat: alarm.Statistic, Period: alarm.Period };
  const queries: Properties[] = alarm.Metrics ?? [{ Id: 'value', MetricStat: only }];
  const ofMetrics = queries.filter(({ MetricStat }) => MetricStat);
  return ofMetrics.map(({ Id, MetricStat: { Metric, Stat, Period } }) => {
    const dimensions = Metric.Dimensions.map(({ Name, Value }: Properties) => [Name, Value]);
    return {
      id: Id as string,
      name: `${Stat} ${Metric.MetricName}`,
      periodSeconds: Period as number,
      namespace: Metric.Namespace as string,
      dimensions: Object.fromEntries(dimensions),
    };
  });
}

/**
 * Whether a metric filter counts a line. The test knows comparisons of fields with texts, and `&&` and `||`.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 * @throws Error with the pattern if it has anything else
 */
function matches(pattern: string, line: Line): boolean {
  const compared = pattern.replaceAll(/\$\.(\w+) (!?)= "([^"]*)"/g, (_, field, not, text) => {
    const value = line[field]!;
    const isEqual = text.endsWith('*') ? value.startsWith(text.slice(0, -1)) : value === text;
    return String(isEqual !== (not === '!'));
  });
  if (!/^\{(true|false|&&|\|\||[ ()])+\}$/.test(compared)) {
    throw new Error(`This test cannot evaluate the pattern ${pattern}`);
  }
  return runInNewContext(compared.slice(1, -1));
}
