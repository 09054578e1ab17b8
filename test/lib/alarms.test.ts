import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { properties } from './readable.ts';

/*
 * Computes the alarms' values from numbers of requests, by the patterns that count lines of the access log
 * and by the expressions, both as the template has them.
 */

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

/** What a client can send in any number without being served, and the metrics that count it. */
const floods: readonly (readonly [Line, string])[] = [
  [{ ...withoutKey, status: '404' }, 'ClientErrors'],
  [{ ...withoutKey, status: '401', errorType: 'UNAUTHORIZED' }, 'ClientErrors'],
  [{ ...withoutKey, method: 'OPTIONS' }, ''],
  [{ ...withoutKey, status: '-' }, ''],
  [{ ...limited, errorType: 'ACCESS_DENIED' }, 'ClientErrors TooManyRequests'],
  [{ ...cancelled, status: '404' }, 'RequestsAdmitted ClientErrors'],
  [refusedList, 'RequestsAdmitted ListsRefused'],
];

const filters = Object.values(properties('prod', 'AWS::Logs::MetricFilter'));
const alarms = properties('prod', 'AWS::CloudWatch::Alarm');

it.each([
  ...floods,
  [cancelled, 'RequestsAdmitted RequestsAccepted'],
  [crashed, 'RequestsAdmitted RequestsAccepted ServerErrors'],
  [failedAuthorizer, 'RequestsAccepted ServerErrors AuthorizerFailures'],
])('The line %j is counted by: %s', (line, expected) => {
  const counting = filters.filter(({ FilterPattern }) => matches(FilterPattern, line));

  const names = counting.map(({ MetricTransformations: [{ MetricName }] }) => MetricName);
  expect(names.join(' ')).toBe(expected);
});

describe('The alarm', () => {
  // In one period: an hour of a fast burn, six of a slow one.
  it.each([
    ['ServerErrors', 'everything fails', true, 0, 60],
    ['ServerErrors', 'a canary fails', true, 54, 6],
    ['ServerErrors', 'one in 50 fails', true, 980, 20],
    ['ServerErrors', 'one in 200 fails', false, 1_990, 10],
    ['ServerErrors', 'four fail in a quiet night', false, 2, 4],
    ['ServerErrors', 'nobody calls', false, 0, 0],
    ['AvailabilityFastBurn', 'everything fails', true, 0, 3_600],
    ['AvailabilityFastBurn', 'one in 50 fails', true, 3_528, 72],
    ['AvailabilityFastBurn', 'one in 100 fails', false, 3_564, 36],
    ['AvailabilityFastBurn', 'half fail in a quiet night', false, 450, 450],
    ['AvailabilitySlowBurn', 'one in 100 fails', true, 21_384, 216],
    ['AvailabilitySlowBurn', 'one in 200 fails', false, 21_492, 108],
    ['AvailabilitySlowBurn', 'half fail in a quiet night', false, 450, 450],
  ])('%s, if %s, is raised (%s), however many are refused', (id, _, isRaised, served, failed) => {
    for (const [flood] of floods) {
      for (const refused of [0, 1_000, 10_000_000]) {
        const counts = new Map([
          [cancelled, served],
          [crashed, failed],
          [flood, refused],
        ] as const);

        expect([flood, refused, isOn(id, counts)]).toEqual([flood, refused, isRaised]);
      }
    }
  });

  it.each([
    ['is raised if none of five requests is logged', true, 5, 0],
    ['is raised if none of a flood is logged', true, 10_000_000, 0],
    ['is not raised in a quiet minute', false, 4, 0],
    ['is not raised by a flood that API Gateway does not log', false, 10_000_000, 1],
  ])('RequestsNotLogged %s', (_, isRaised, Count, IncomingLogEvents) => {
    expect(isOn('RequestsNotLogged', new Map(), { Count, IncomingLogEvents })).toBe(isRaised);
  });
});

/**
 * Whether an alarm would be on after periods with these lines in the access log.
 *
 * @param ofAws the values of metrics of AWS
 */
function isOn(
  id: string,
  counts: ReadonlyMap<Line, number>,
  ofAws: Readonly<Record<string, number>> = {},
): boolean {
  const { Metrics, Threshold, ComparisonOperator } = alarms[`Monitoring${id}`];
  const [{ Expression }, ...stats]: (typeof alarms)[string][] = Metrics;
  const values = stats.map(({ Id, MetricStat: { Metric } }) => [
    Id,
    ofAws[Metric.MetricName] ?? sumOf(Metric.MetricName, counts),
  ]);
  // Metric math takes a missing value as 0, and drops a value that is divided by 0:
  // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
  const value = runInNewContext(Expression, { ...functions, ...Object.fromEntries(values) });
  if (!Number.isFinite(value)) return false;
  return ComparisonOperator === 'LessThanThreshold' ? value < Threshold : value > Threshold;
}

const functions = {
  IF: (condition: number, value: number, otherwise?: number) => (condition ? value : otherwise),
  FILL: (value: number, filler: number) => value || filler,
};

function sumOf(name: string, counts: ReadonlyMap<Line, number>): number {
  const { FilterPattern } = filters.find(
    ({ MetricTransformations: [{ MetricName }] }) => MetricName === name,
  );
  const counted = [...counts].filter(([line]) => matches(FilterPattern, line));
  return counted.reduce((sum, [, count]) => sum + count, 0);
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
