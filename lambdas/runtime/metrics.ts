import {
  type CancellationOutcome,
  type MetricName,
  metricNamespace,
  metricUnits,
  type RejectionReason,
} from '../contract/metric-definitions.ts';
import { requiredVariable } from './environment.ts';
import { type LogFields, writeLine } from './log.ts';

const stage = requiredVariable('STAGE');

type Dimension = { Reason: RejectionReason } | { Outcome: CancellationOutcome };

/**
 * Records CloudWatch metrics by writing one log line in the embedded metric format, which needs no request to
 * CloudWatch. The line is also the log entry of the event.
 *
 * @param fields to search the log by, such as a key id. As a dimension, a key id would create a metric for every key
 * @param dimension a further dimension. The metrics are recorded with this dimension, and for the whole stage
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function recordMetrics(
  values: Partial<Record<MetricName, number>>,
  fields: LogFields = {},
  dimension?: Dimension,
): void {
  const names = Object.keys(values) as MetricName[];
  const dimensions = [['Stage'], ...(dimension ? [['Stage', ...Object.keys(dimension)]] : [])];
  writeLine({
    _aws: {
      Timestamp: Date.now(),
      CloudWatchMetrics: [
        {
          Namespace: metricNamespace,
          Dimensions: dimensions,
          Metrics: names.map((name) => ({ Name: name, Unit: metricUnits[name] })),
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
