import { type AlarmProps, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import type { ServiceMetrics } from './service-metrics.ts';

/** The text of an alarm and the condition on which it is raised. */
export interface AlarmDefinition
  extends Pick<AlarmProps, 'metric' | 'evaluationPeriods' | 'datapointsToAlarm'> {
  readonly id: string;
  /** A sentence about the effect on users. */
  readonly meaning: string;
  /** The anchor of a heading in `docs/runbook.md`. */
  readonly runbookAnchor: string;
  /** The alarm is raised above this value. */
  readonly above: number;
}

/** Two bad minutes of three raise an alarm. So an outage is reported soon, and a single bad minute is not. */
const twoOfThree = { evaluationPeriods: 3, datapointsToAlarm: 2 };

/**
 * The number of requests in ten minutes that is a flood: 500 a second. If they are sent to unknown paths, without a
 * key, they cost $160 a day (docs/threat-model.md).
 */
const floodRequests = 300_000;

/**
 * The alarms that roll a deployment back. They watch errors that new code can introduce. `ListsRefused` is not
 * included, because one owner can cause it, and could stop deployments. `RequestsNotLogged` is not included, because
 * earlier code does not repair a log.
 */
export const deploymentAlarmIds = ['ServerErrors', 'AuthorizerFailures', 'ListsBrokenOff'];

/** All alarms. Each reports a problem that users notice, except for `RequestFlood`, which reports costs. */
export function alarmDefinitions(metrics: ServiceMetrics): AlarmDefinition[] {
  return [
    {
      id: 'ServerErrors',
      meaning: 'More than 1 % of the accepted requests get a 5xx, not counting refused lists.',
      runbookAnchor: 'server-errors',
      // At least five errors are required, because with little traffic a single failure is more than 1 %.
      metric: new MathExpression({
        label: '5xx in percent of accepted requests',
        expression: 'IF(errors >= 5, 100 * errors / accepted, 0)',
        usingMetrics: { errors: metrics.serverErrors, accepted: metrics.accepted },
        period: Duration.minutes(1),
      }),
      above: 1,
      ...twoOfThree,
    },
    {
      id: 'AuthorizerFailures',
      meaning: 'The authorizer fails: clients with a valid key get 503.',
      runbookAnchor: 'authorizer-failures',
      metric: metrics.authorizerFailures.with({ period: Duration.minutes(1) }),
      above: 4,
      ...twoOfThree,
    },
    {
      id: 'RequestsNotLogged',
      meaning: 'The access log is empty: the alarms on 5xx answers see nothing.',
      runbookAnchor: 'requests-not-logged',
      // A log without lines has no metric, so FILL replaces the missing value by 0. The number of lines is not compared
      // with the number of requests, because not every request is logged.
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html
      metric: new MathExpression({
        label: 'minutes with five requests and no line in the access log',
        expression: 'IF(requests >= 5, IF(FILL(lines, 0) > 0, 0, 1), 0)',
        usingMetrics: { requests: metrics.requests, lines: metrics.accessLogLines },
        period: Duration.minutes(1),
      }),
      above: 0,
      // The alarm waits for several minutes, because the lines of the last minute can be late.
      evaluationPeriods: 3,
    },
    {
      id: 'ListsRefused',
      meaning: 'Lists get 503, because other lists occupy all environments for lists.',
      runbookAnchor: 'server-errors',
      metric: metrics.listsRefused.with({ period: Duration.minutes(1) }),
      above: 4,
      ...twoOfThree,
    },
    {
      id: 'ListsBrokenOff',
      meaning: 'Lists end before their last order, which the status 200 does not show.',
      runbookAnchor: 'broken-lists',
      metric: metrics.listsBrokenOff.with({ period: Duration.minutes(1) }),
      above: 0,
      ...twoOfThree,
    },
    {
      id: 'UnlistedItems',
      meaning: 'Items of the table Orders are missing from lists, because their ids are no int64.',
      runbookAnchor: 'unlisted-items',
      metric: metrics.unlistedItems.with({ period: Duration.hours(1) }),
      above: 0,
      evaluationPeriods: 1,
    },
    {
      id: 'SlowCancellations',
      meaning: 'More than one cancellation in a hundred takes longer than a second.',
      runbookAnchor: 'slow-cancellations',
      // An alarm on p99 that ignored periods with few samples would keep its state while a period has fewer than 1,000
      // samples:
      // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/AlarmThatSendsEmail.html#percentiles-with-low-samples
      metric: new MathExpression({
        label: 'slow cancellations in percent',
        expression: 'IF(requests >= 100, 100 - percentWithin, 0)',
        usingMetrics: {
          percentWithin: metrics.cancelLatency(Stats.percentileRank(1_000)),
          requests: metrics.cancelLatency(Stats.SAMPLE_COUNT),
        },
        period: Duration.minutes(5),
      }),
      above: 1,
      evaluationPeriods: 3,
    },
    {
      id: 'RequestFlood',
      meaning: `More than ${floodRequests} requests arrived in ten minutes. AWS charges for most of them.`,
      runbookAnchor: 'a-flood-of-requests',
      metric: metrics.requests.with({ period: Duration.minutes(10) }),
      above: floodRequests,
      evaluationPeriods: 1,
    },
  ];
}
