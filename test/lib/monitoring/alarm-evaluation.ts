import type { StageName } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';
import { evaluateMetricMath, type Value } from './metric-math.ts';
import type { MetricIdentity, RecordedMetrics, Span } from './recorded-metrics.ts';

interface MetricQuery {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: MetricIdentity;
    readonly Period: number;
    readonly Stat: string;
  };
  readonly ReturnData?: boolean;
}

interface AlarmProperties extends Partial<MetricIdentity> {
  readonly Metrics?: readonly MetricQuery[];
  readonly Period?: number;
  readonly Statistic?: string;
  readonly EvaluationPeriods: number;
  readonly DatapointsToAlarm?: number;
  readonly Threshold: number;
  readonly ComparisonOperator: string;
  readonly TreatMissingData: string;
}

/**
 * The names of a stage's alarms that are raised within a period. As in CloudWatch, each alarm is
 * evaluated every minute over a window that ends at that minute.
 */
export function alarmsThatGoOff(
  stage: StageName,
  metrics: RecordedMetrics,
  { from, to }: Span,
): string[] {
  const alarms: [string, AlarmProperties][] = Object.entries(
    properties(stage, 'AWS::CloudWatch::Alarm'),
  );
  const ends = Array.from({ length: to - from }, (_, index) => from + index + 1);
  return alarms
    .filter(([, alarm]) => ends.some((end) => isOn(alarm, metrics, end)))
    .map(([id]) => id.replace(/^Monitoring/, ''))
    .sort();
}

function isOn(alarm: AlarmProperties, metrics: RecordedMetrics, end: number): boolean {
  const minutes = periodMinutes(alarm);
  const breaches = Array.from({ length: alarm.EvaluationPeriods }, (_, index) => {
    const to = end - index * minutes;
    return isBreaching(alarm, valueIn(alarm, metrics, { from: to - minutes, to }));
  });
  const needed = alarm.DatapointsToAlarm ?? alarm.EvaluationPeriods;
  return breaches.filter((breach) => breach).length >= needed;
}

function isBreaching(alarm: AlarmProperties, value: Value): boolean {
  if (alarm.ComparisonOperator !== 'GreaterThanThreshold') {
    throw new Error(`Unknown comparison: ${alarm.ComparisonOperator}`);
  }
  if (value === undefined) return alarm.TreatMissingData === 'breaching';
  return value > alarm.Threshold;
}

function periodMinutes({ Period, Metrics }: AlarmProperties): number {
  const periods = new Set((Metrics ?? []).flatMap(({ MetricStat }) => MetricStat?.Period ?? []));
  const [seconds, ...others] = Period === undefined ? periods : [Period];
  if (seconds === undefined || others.length > 0) throw new Error('An alarm needs one period.');
  return seconds / 60;
}

function valueIn(alarm: AlarmProperties, metrics: RecordedMetrics, span: Span): Value {
  if (!alarm.Metrics) {
    return metrics.statistic(alarm as MetricIdentity, alarm.Statistic ?? '', span);
  }
  const returned = alarm.Metrics.find(({ ReturnData }) => ReturnData !== false)!;
  if (returned.Expression === undefined) return statisticOf(returned, metrics, span);
  const inputs = alarm.Metrics.filter(({ MetricStat }) => MetricStat !== undefined);
  const variables = inputs.map((input) => [input.Id, statisticOf(input, metrics, span)] as const);
  return evaluateMetricMath(returned.Expression, Object.fromEntries(variables));
}

function statisticOf({ MetricStat }: MetricQuery, metrics: RecordedMetrics, span: Span): Value {
  return metrics.statistic(MetricStat!.Metric, MetricStat!.Stat, span);
}
