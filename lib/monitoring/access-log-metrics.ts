import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { ServiceMetrics } from './service-metrics.ts';

export interface AccessLogMetricsProps {
  readonly accessLog: LogGroup;
  readonly metrics: ServiceMetrics;
}

/**
 * Counts errors in the access log, which contains the status that the client received.
 *
 * API Gateway's own metric `5XXError` cannot be used: it misses gateway responses whose status was
 * changed, which count as `4XXError`, and these answer crashes, timeouts and authorizer failures.
 * Lambda's `Errors` cannot be used either: API Gateway requires the authorizer to throw for a 401.
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
    // The access log quotes all values, so a status is compared as text.
    count('ClientErrors', metrics.clientErrors, 'status', '4*');
    count('ServerErrors', metrics.serverErrors, 'status', '5*');
    count('AuthorizerFailures', metrics.authorizerFailures, 'errorType', 'AUTHORIZER_*');
  }
}
