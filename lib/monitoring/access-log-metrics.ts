import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ServiceMetrics } from './service-metrics.ts';

export interface AccessLogMetricsProps {
  readonly accessLog: LogGroup;
  readonly metrics: ServiceMetrics;
}

/**
 * Counts answers in the access log, which has the status that the client was given.
 *
 * API Gateway's own `5XXError` is no use here: a gateway response whose status was changed counts as
 * `4XXError`, and crashes, time-outs and a failing authorizer are all answered by one. Neither is
 * Lambda's `Errors`: the authorizer answers 401 by throwing, as API Gateway wants it.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-metrics-and-dimensions.html
 */
export class AccessLogMetrics extends Construct {
  constructor(scope: Construct, id: string, { accessLog, metrics }: AccessLogMetricsProps) {
    super(scope, id);
    const count = (name: string, metric: Metric, field: string, pattern: string) =>
      new MetricFilter(this, name, {
        logGroup: accessLog,
        filterPattern: FilterPattern.stringValue(`$.${field}`, '=', pattern),
        metricNamespace: metric.namespace,
        metricName: metric.metricName,
        metricValue: '1',
        dimensions: { Stage: '$.stage' },
      });
    // The access log quotes all its values: a status is text, and compared as such.
    count('ClientErrors', metrics.clientErrors, 'status', '4*');
    count('ServerErrors', metrics.serverErrors, 'status', '5*');
    count('AuthorizerFailures', metrics.authorizerFailures, 'errorType', 'AUTHORIZER_*');
  }
}
