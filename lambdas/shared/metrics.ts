import { requiredVariable } from './environment.ts';
import { type LogFields, writeLine } from './log.ts';

const namespace = 'StoreOrders';
const stage = requiredVariable('STAGE');

const units = {
  RequestsAdmitted: 'Count',
  RequestsRejected: 'Count',
  KeysBanned: 'Count',
  CancellationsRequested: 'Count',
  OrdersListed: 'Count',
  BytesStreamed: 'Bytes',
} as const;

export type MetricName = keyof typeof units;

export interface MetricOptions {
  /** One further dimension; the metric is recorded both with it and for the stage as a whole. */
  dimension?: { Reason: string } | { Outcome: string };
  /** Searchable in the log, but no dimension: a key id as a dimension would be a metric per key. */
  fields?: LogFields;
}

/**
 * Records CloudWatch metrics by writing one log line in the embedded metric format: no call, no
 * agent, and the line is at the same time the log of what was counted.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function recordMetrics(
  values: Partial<Record<MetricName, number>>,
  { dimension, fields }: MetricOptions = {},
): void {
  const names = Object.keys(values) as MetricName[];
  const dimensions = [['Stage'], ...(dimension ? [['Stage', ...Object.keys(dimension)]] : [])];
  writeLine({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: namespace,
          Dimensions: dimensions,
          Metrics: names.map((name) => ({ Name: name, Unit: units[name] })),
        },
      ],
    },
    level: 'INFO',
    Stage: stage,
    ...dimension,
    ...values,
    ...fields,
  });
}
