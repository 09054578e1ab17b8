import { describe, expect, it } from '@jest/globals';
import { metricUnits } from '../../lambdas/contract/metric-definitions.ts';
import { logFields } from '../../lambdas/http/api-handler.ts';
import { log } from '../../lambdas/runtime/log.ts';
import { runtimeFailure } from '../../lib/monitoring/saved-queries.ts';
import { stackName } from '../../lib/settings/names.ts';
import { expectContained } from '../helpers/agreement.ts';
import { captureLinesOfTests } from '../helpers/captured-lines.ts';
import { proxyEvent, requestContext } from '../helpers/functions/events.ts';
import { testEnv } from '../helpers/stage-for-tests.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { properties } from './readable.ts';

it.each(stageNames)(
  'The dashboard of %s shows every alarm, every metric of the service, and throttled tables',
  (stage) => {
    const [{ DashboardName, DashboardBody }] = Object.values(
      properties(stage, 'AWS::CloudWatch::Dashboard'),
    );
    const alarms = Object.keys(properties(stage, 'AWS::CloudWatch::Alarm'));
    const counted = Object.values(properties(stage, 'AWS::Logs::MetricFilter')).map(
      ({ MetricTransformations: [{ MetricName }] }) => MetricName,
    );

    const expected = [
      ...alarms.map((id) => `\${${id}.Arn}`),
      ...Object.keys(metricUnits),
      ...counted,
      ...['Outcome', 'Reason', 'ReadThrottleEvents', 'WriteThrottleEvents'],
      ...['${TablesOrders}', '${TablesApiKeys}'],
    ];
    expect(expected.filter((text) => !DashboardBody.includes(`"${text}"`))).toEqual([]);
    expect(DashboardName).toBe(`${stackName(stage)}-${testEnv.region}`);
  },
);

describe.each(stageNames)('saved queries of %s', (stage) => {
  const logs = captureLinesOfTests();
  const saved = Object.values(properties(stage, 'AWS::Logs::QueryDefinition'));

  it('read only metrics and fields that their logs have', () => {
    const event = proxyEvent({ requestContext: requestContext({ extendedRequestId: 'id' }) });
    log.error('failed', new Error('outer', { cause: 'inner' }), logFields(event));
    const [line] = logs.lines();
    const [{ AccessLogSetting }] = Object.values(properties(stage, 'AWS::ApiGateway::Stage'));
    // test/lambdas/cancel-order.test.ts expects these in the line of a cancellation.
    const ofCancellation = ['Outcome', 'orderId', 'cancelRequestId', 'sourceIp'];
    const ofFunctions = [
      ...Object.keys(line!),
      ...Object.keys(line!.error as object),
      '@message',
      ...ofCancellation,
    ];

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

// Lambda itself writes these lines.
it.each([
  [true, 'INIT_REPORT Init Duration: 150.79 ms\tPhase: init\tStatus: error\tError Type: Error'],
  [true, '2026-11-20T09:30:00.000Z 6f1d3c3a Task timed out after 5.00 seconds'],
  [true, 'RequestId: 6f1d3c3a Error: Runtime exited with error: signal: killed'],
  [true, '2026-11-20T09:30:00.000Z\tundefined\tERROR\tInit Error \t{"errorType":"Error"}'],
  // The authorizer throws for a key that is not valid.
  [false, '2026-11-20T09:30:00.000Z\t6f1d3c3a\tERROR\tInvoke Error \t{"errorType":"Error"}'],
  [false, 'REPORT RequestId: 6f1d3c3a\tDuration: 9.14 ms\tStatus: error\tError Type: Error'],
])('the saved query for errors finds (%s) the line %j', (isFailure, line) => {
  expect(runtimeFailure.test(line)).toBe(isFailure);
});

/** The names in a query that are neither the language's own nor given by `as`. */
function fieldsIn(text: string): string[] {
  const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\b\w+\(\*?|\d+\w*/g, ' ').match(/\b[a-z]\w*/gi)!;
  const given = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name!);
  const language = 'filter stats sort by as and or in like desc display limit'.split(' ');
  return words.filter((word) => ![...language, ...given].includes(word));
}
