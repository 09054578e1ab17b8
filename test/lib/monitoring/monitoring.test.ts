import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { anchorsOf } from '../../docs/markdown.ts';
import { differences, missing } from '../../helpers/differences.ts';
import { functionEnvironment } from '../../helpers/functions/function-environment.ts';
import { type StageName, stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

Object.assign(process.env, functionEnvironment);
const { metricNamespace, metricUnits } = await import('../../../lambdas/shared/metrics.ts');

interface AlarmProperties {
  AlarmDescription: string;
  [property: string]: unknown;
}

const above = {
  ComparisonOperator: 'GreaterThanThreshold',
  TreatMissingData: 'notBreaching',
  AlarmDescription: expect.stringMatching(/\. Runbook: docs\/runbook\.md#[a-z-]+$/),
};
const twoOfThreeMinutes = { Period: 60, EvaluationPeriods: 3, DatapointsToAlarm: 2 };

describe.each(stageNames)('alarms of %s', (stage) => {
  const api = [
    { Name: 'ApiName', Value: `store-orders-${stage}` },
    { Name: 'Stage', Value: stage },
  ];
  const ofStage = [{ Name: 'Stage', Value: stage }];
  const throttled = (table: string, MetricName: string) => ({
    ...above,
    ...twoOfThreeMinutes,
    Namespace: 'AWS/DynamoDB',
    MetricName,
    Dimensions: [{ Name: 'TableName', Value: table }],
    Statistic: 'Sum',
    Threshold: 0,
  });

  it.each<[string, object]>([
    [
      'AuthorizerFailures',
      {
        ...above,
        ...twoOfThreeMinutes,
        Namespace: 'StoreOrders',
        MetricName: 'AuthorizerFailures',
        Dimensions: ofStage,
        Statistic: 'Sum',
        Threshold: 4,
      },
    ],
    ['ApiKeyReadsThrottled', throttled('${TablesApiKeys}', 'ReadThrottleEvents')],
    ['ApiKeyWritesThrottled', throttled('${TablesApiKeys}', 'WriteThrottleEvents')],
    ['OrderReadsThrottled', throttled('${TablesOrders}', 'ReadThrottleEvents')],
    ['OrderWritesThrottled', throttled('${TablesOrders}', 'WriteThrottleEvents')],
    [
      'RisingBans',
      {
        ...above,
        Namespace: 'StoreOrders',
        MetricName: 'KeysBanned',
        Dimensions: ofStage,
        Statistic: 'Sum',
        Period: 900,
        EvaluationPeriods: 1,
        Threshold: 5,
      },
    ],
  ])('watch %s', (name, alarm) => {
    expect(alarms(stage)[`Monitoring${name}`]).toEqual(alarm);
  });

  it('watch ServerErrors: more than one request in a hundred, and at least five a minute', () => {
    const { Metrics, ...alarm } = alarms(stage).MonitoringServerErrors!;

    expect(alarm).toEqual({ ...above, EvaluationPeriods: 3, DatapointsToAlarm: 2, Threshold: 1 });
    expect(Metrics).toEqual([
      expect.objectContaining({
        Expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
        ReturnData: true,
      }),
      metric('errors', 'StoreOrders', 'ServerErrors', ofStage, 'Sum', 60),
      metric('requests', 'AWS/ApiGateway', 'Count', api, 'SampleCount', 60),
    ]);
  });

  it('watch SlowCancellations: the slowest in a hundred above a second', () => {
    const { Metrics, ...alarm } = alarms(stage).MonitoringSlowCancellations!;

    expect(alarm).toEqual({
      ...above,
      EvaluationPeriods: 3,
      EvaluateLowSampleCountPercentile: 'ignore',
      Threshold: 1_000,
    });
    expect(Metrics).toEqual([
      {
        Id: 'm1',
        Label: 'cancelOrder p99',
        MetricStat: {
          Metric: {
            Namespace: 'AWS/ApiGateway',
            MetricName: 'Latency',
            Dimensions: [
              api[0],
              { Name: 'Method', Value: 'DELETE' },
              { Name: 'Resource', Value: '/v1/store/orders/{orderId}' },
              api[1],
            ],
          },
          Period: 300,
          Stat: 'p99',
        },
        ReturnData: true,
      },
    ]);
  });

  it.each([
    ['ClientErrors', '{ $.status = "4*" }'],
    ['ServerErrors', '{ $.status = "5*" }'],
    // A 401 is not a failure of the authorizer.
    ['AuthorizerFailures', '{ $.errorType = "AUTHORIZER_*" }'],
  ])('count %s in the access log', (MetricName, FilterPattern) => {
    const filters = Object.values(properties(stage, 'AWS::Logs::MetricFilter'));

    expect(filters).toContainEqual({
      LogGroupName: '${ApiAccessLogs}',
      FilterPattern,
      MetricTransformations: [
        {
          MetricNamespace: 'StoreOrders',
          MetricName,
          MetricValue: '1',
          Dimensions: [{ Key: 'Stage', Value: '$.stage' }],
        },
      ],
    });
  });

  it('watch the reads and writes of every table that a function uses', () => {
    const functions = Object.values(properties(stage, 'AWS::Lambda::Function'));
    const used = functions.flatMap(({ Environment }) =>
      Object.entries<string>(Environment.Variables).filter(([name]) => name.endsWith('_TABLE')),
    );
    const watched = Object.values(alarms(stage))
      .filter(({ Namespace }) => Namespace === 'AWS/DynamoDB')
      .map(
        ({ Dimensions, MetricName }) =>
          `${(Dimensions as [{ Value: string }])[0].Value} ${MetricName}`,
      );

    expect(
      missing(
        [
          'lib/store-orders-stack.ts',
          used.flatMap(([, table]) => [
            `${table} ReadThrottleEvents`,
            `${table} WriteThrottleEvents`,
          ]),
        ],
        ['lib/monitoring/service-metrics.ts, throttledTables', watched],
      ),
    ).toEqual([]);
  });

  it('tell nobody as long as no address is configured', () => {
    for (const alarm of Object.values(alarms(stage))) {
      expect(alarm).not.toHaveProperty('AlarmActions');
    }
  });

  it('each lead to a section of the runbook that says what to do', () => {
    const sections = [...anchorsOf(readFileSync('docs/runbook.md', 'utf8'))];

    const anchors = Object.values(alarms(stage)).map(
      ({ AlarmDescription }) => AlarmDescription.split('#')[1],
    );

    expect(anchors).not.toEqual([]);
    expect(
      missing(['lib/monitoring', anchors as string[]], ['docs/runbook.md, headings', sections]),
    ).toEqual([]);
  });
});

describe.each(stageNames)('dashboard of %s', (stage) => {
  it('shows every alarm, and every metric that the functions record', () => {
    const [{ DashboardName, DashboardBody }] = Object.values(
      properties(stage, 'AWS::CloudWatch::Dashboard'),
    ) as [{ DashboardName: string; DashboardBody: string }];
    const { widgets } = JSON.parse(DashboardBody);

    const shownAlarms = widgets[0].properties.alarms;
    const shownMetrics = new Set(
      widgets
        .flatMap((widget: { properties: { metrics?: unknown[][] } }) => widget.properties.metrics)
        .filter((metric?: unknown[]) => metric?.[0] === metricNamespace)
        .map((metric: unknown[]) => metric[1]),
    );

    expect(DashboardName).toBe(`StoreOrders-${stage}`);
    expect(shownAlarms.sort()).toEqual(
      Object.keys(alarms(stage))
        .map((id) => `\${${id}.Arn}`)
        .sort(),
    );
    const recorded = [...Object.keys(metricUnits), ...accessLogMetrics(stage)];
    expect(
      differences(
        ['lambdas/shared/metrics.ts or lib/monitoring/monitoring.ts', recorded],
        [
          `lib/monitoring/dashboard.ts, in the namespace ${metricNamespace},`,
          shownMetrics as Set<string>,
        ],
      ),
    ).toEqual([]);
  });
});

/** The names of the metrics that are counted in the access log. */
function accessLogMetrics(stage: StageName): string[] {
  return Object.values(properties(stage, 'AWS::Logs::MetricFilter')).flatMap(
    ({ MetricTransformations }) =>
      MetricTransformations.map(({ MetricName }: { MetricName: string }) => MetricName),
  );
}

function alarms(stage: StageName): Record<string, AlarmProperties> {
  return properties(stage, 'AWS::CloudWatch::Alarm') as Record<string, AlarmProperties>;
}

function metric(
  Id: string,
  Namespace: string,
  MetricName: string,
  Dimensions: object[],
  Stat: string,
  Period: number,
) {
  return {
    Id,
    MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period, Stat },
    ReturnData: false,
  };
}
