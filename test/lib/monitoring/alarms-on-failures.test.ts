import { describe, expect, it } from '@jest/globals';
import { differences } from '../../helpers/differences.ts';
import { type StageName, stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';
import { alarmsThatGoOff } from './alarm-evaluation.ts';
import { type Answer, type Minute, metricsOf } from './made-up-traffic.ts';

const list: Answer = { operation: 'listOrders', status: 200, latencyMs: 90 };
const cancel: Answer = { operation: 'cancelOrder', status: 204, latencyMs: 40 };
const healthy = [...times(80, list), ...times(40, cancel)];

const refused: Answer[] = [
  { ...list, status: 401, errorType: 'UNAUTHORIZED' },
  { ...cancel, status: 404 },
  { ...cancel, status: 409 },
  { ...list, status: 429, errorType: 'ACCESS_DENIED' },
  { ...list, status: 429, errorType: 'THROTTLED' },
].flatMap((answer) => times(40, answer as Answer));

const outage = ['AvailabilityFastBurn', 'AvailabilitySlowBurn', 'ServerErrors'];
const slow = ['CancelLatencyFastBurn', 'CancelLatencySlowBurn', 'SlowCancellations'];

/** A description of a failure, its traffic in a minute, and the alarms that it raises. */
const failures: [string, Minute, string[]][] = [
  [
    'Lambda cannot run a function',
    { answers: instead(60, { ...list, status: 500, errorType: 'INTEGRATION_FAILURE' }) },
    outage,
  ],
  [
    'API Gateway fails for a reason that has no type of its own',
    { answers: instead(60, { ...list, status: 500, errorType: 'DEFAULT_5XX' }) },
    outage,
  ],
  [
    'a handler meets something unforeseen',
    { answers: instead(60, { ...list, status: 500 }) },
    outage,
  ],
  [
    'the list does not answer in time',
    { answers: instead(60, { ...list, status: 504, errorType: 'INTEGRATION_TIMEOUT' }) },
    outage,
  ],
  [
    'cancellations do not end in time',
    {
      answers: instead(30, {
        ...cancel,
        status: 504,
        errorType: 'INTEGRATION_TIMEOUT',
        latencyMs: 10_000,
      }),
    },
    [...outage, ...slow],
  ],
  [
    'the authorizer fails',
    { answers: instead(60, { ...list, status: 503, errorType: 'AUTHORIZER_FAILURE' }) },
    [...outage, 'AuthorizerFailures'],
  ],
  [
    'the authorizer answers what API Gateway cannot read',
    {
      answers: instead(60, { ...list, status: 503, errorType: 'AUTHORIZER_CONFIGURATION_ERROR' }),
    },
    [...outage, 'AuthorizerFailures'],
  ],
  ['handlers cannot reach DynamoDB', { answers: instead(60, { ...list, status: 503 }) }, outage],
  [
    'every second cancellation is slow',
    { answers: instead(20, { ...cancel, latencyMs: 1_800 }) },
    slow,
  ],
  [
    'writes of API keys are throttled',
    {
      answers: healthy,
      throttled: { table: 'ApiKeys', metricName: 'WriteThrottleEvents', sum: 1 },
    },
    ['ApiKeyWritesThrottled'],
  ],
  [
    'reads of orders are throttled',
    {
      answers: healthy,
      throttled: { table: 'Orders', metricName: 'ReadThrottleEvents', sum: 1 },
    },
    ['OrderReadsThrottled'],
  ],
  [
    'writes of orders are throttled',
    {
      answers: healthy,
      throttled: { table: 'Orders', metricName: 'WriteThrottleEvents', sum: 1 },
    },
    ['OrderWritesThrottled'],
  ],
  [
    'keys are banned one after the other',
    { answers: healthy, recorded: { KeysBanned: 1 } },
    ['RisingBans'],
  ],
];

describe.each(stageNames)('with a failure of the runbook, the alarms of %s', (stage) => {
  it.each(failures)('go off: %s', (_, failing, expected) => {
    const minutes = [...times(15, { answers: healthy }), ...times(20, failing)];

    const on = alarmsThatGoOff(stage, metricsOf(stage, minutes), { from: 0, to: minutes.length });

    expect(on).toEqual(expected.toSorted());
  });

  it.each(throttleAlarms(stage))(
    'go off for what they watch, and for nothing else: %s',
    (name, throttled) => {
      const minutes = times(20, { answers: healthy, throttled });

      const on = alarmsThatGoOff(stage, metricsOf(stage, minutes), { from: 0, to: minutes.length });

      expect(on).toEqual([name]);
    },
  );

  it('are each set off by one of them', () => {
    const setOff = failures.flatMap(([, , names]) => names);
    const throttleNames = throttleAlarms(stage).map(([name]) => name);

    const alarms = Object.keys(properties(stage, 'AWS::CloudWatch::Alarm'));

    expect(
      differences(
        ['lib/monitoring', alarms],
        [
          'test/lib/monitoring/alarms-on-failures.test.ts, failures',
          [...setOff, ...throttleNames].map((name) => `Monitoring${name}`),
        ],
      ),
    ).toEqual([]);
  });

  it('take a deployment back within its five minutes, though only a tenth of the requests fail', () => {
    const failing = {
      answers: instead(12, { ...cancel, status: 500, errorType: 'INTEGRATION_FAILURE' }),
    };
    const minutes = [...times(15, { answers: healthy }), ...times(5, failing)];

    const on = alarmsThatGoOff(stage, metricsOf(stage, minutes), { from: 15, to: 20 });

    expect(on).toContain('ServerErrors');
  });
});

describe.each(stageNames)('without trouble, the alarms of %s', (stage) => {
  it.each<[string, Minute[]]>([
    ['requests are answered', times(35, { answers: healthy })],
    ['nothing happens at all', times(35, {})],
    [
      'the only three requests in an hour fail, slowly',
      [{ answers: times(3, { ...cancel, status: 500, latencyMs: 9_000 }) }, ...times(34, {})],
    ],
    ['clients are refused', times(35, { answers: [...healthy, ...refused] })],
    [
      'a long list takes long to read',
      times(35, { answers: instead(60, { ...list, latencyMs: 100_000 }) }),
    ],
  ])('stay off: %s', (_, minutes) => {
    const metrics = metricsOf(stage, minutes);

    const on = alarmsThatGoOff(stage, metrics, { from: 0, to: minutes.length });

    expect(on).toEqual([]);
  });
});

/** The alarms on throttled tables, each with the throttling that raises it. */
function throttleAlarms(stage: StageName): [string, Minute['throttled']][] {
  return Object.entries(properties(stage, 'AWS::CloudWatch::Alarm'))
    .filter(([, { Namespace }]) => Namespace === 'AWS/DynamoDB')
    .map(([id, { MetricName, Dimensions }]) => {
      const table = Dimensions[0].Value.replace(/^\$\{Tables(\w+)\}$/, '$1');
      return [id.replace('Monitoring', ''), { table, metricName: MetricName, sum: 1 }];
    });
}

/** Healthy traffic in which a number of responses of an operation are replaced. */
function instead(count: number, answer: Answer): Answer[] {
  const untouched = healthy.filter(({ operation }) => operation !== answer.operation);
  const same = healthy.filter(({ operation }) => operation === answer.operation);
  return [...untouched, ...same.slice(count), ...times(count, answer)];
}

function times<T>(count: number, item: T): T[] {
  return Array.from({ length: count }, () => item);
}
