import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, type MetricOptions, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Duration } from 'aws-cdk-lib/core';
import type { MetricName, metricNamespace } from '../../lambdas/shared/metrics.ts';
import { cancelRefusals } from '../../lambdas/shared/order-states.ts';
import { operations } from '../settings/functions.ts';
import type { StageName } from '../settings/stages.ts';

/**
 * The namespace of the functions' metrics and of those that are derived from the access log. Only the
 * type is imported, because the functions' module reads their environment.
 */
const namespace: typeof metricNamespace = 'StoreOrders';

/** The metrics that are counted in the access log. */
type AccessLogMetric = 'ClientErrors' | 'ServerErrors' | 'AuthorizerFailures';

/** The values of the dimension `Reason` of rejected requests. */
const rejectionReasons = [
  'unauthorized',
  'rate_limit_exceeded',
  'quota_exceeded',
  'api_key_banned',
] as const;

/** The values of the dimension `Outcome` of cancellations. */
const cancellationOutcomes = [
  'cancelled',
  'order_not_found',
  ...cancelRefusals.map(({ code }) => code),
];

export interface ServiceMetricsProps {
  readonly stage: StageName;
  readonly restApi: RestApi;
  readonly tables: { readonly orders: Table; readonly apiKeys: Table };
}

/** The metrics of one stage, from API Gateway, DynamoDB, the access log and the functions. */
export class ServiceMetrics {
  readonly requests: Metric;
  /** Responses with a 4xx status, from the access log. */
  readonly clientErrors: Metric;
  /** Responses with a 5xx status, from the access log. */
  readonly serverErrors: Metric;
  /** Requests for which the authorizer failed, from the access log. */
  readonly authorizerFailures: Metric;
  readonly admitted: Metric;
  readonly rejected: Metric[];
  readonly keysBanned: Metric;
  readonly cancellationsRequested: Metric[];
  readonly ordersListed: Metric;
  readonly bytesStreamed: Metric;
  /** Throttled reads and writes of the tables, by the id of their alarm. */
  readonly throttledTables: Readonly<Record<string, Metric>>;

  private readonly props: ServiceMetricsProps;

  constructor(props: ServiceMetricsProps) {
    this.props = props;
    this.requests = this.ofApi('Count');
    this.clientErrors = this.ofService('ClientErrors');
    this.serverErrors = this.ofService('ServerErrors');
    this.authorizerFailures = this.ofService('AuthorizerFailures');
    this.admitted = this.ofService('RequestsAdmitted');
    this.rejected = rejectionReasons.map((Reason) =>
      this.ofService('RequestsRejected', { dimensionsMap: { Reason }, label: Reason }),
    );
    this.keysBanned = this.ofService('KeysBanned');
    this.cancellationsRequested = cancellationOutcomes.map((Outcome) =>
      this.ofService('CancellationsRequested', { dimensionsMap: { Outcome }, label: Outcome }),
    );
    this.ordersListed = this.ofService('OrdersListed');
    this.bytesStreamed = this.ofService('BytesStreamed', { unit: Unit.BYTES });
    const { orders, apiKeys } = props.tables;
    this.throttledTables = {
      ApiKeyReadsThrottled: throttled(apiKeys, 'ReadThrottleEvents'),
      ApiKeyWritesThrottled: throttled(apiKeys, 'WriteThrottleEvents'),
      OrderReadsThrottled: throttled(orders, 'ReadThrottleEvents'),
      OrderWritesThrottled: throttled(orders, 'WriteThrottleEvents'),
    };
  }

  /** API Gateway's latency of cancellations in milliseconds, whatever the response. */
  cancelLatency(statistic: string): Metric {
    const { method, path } = operations.cancelOrder;
    return this.ofApi('Latency', {
      statistic,
      period: Duration.minutes(5),
      label: `cancelOrder ${statistic}`,
      dimensionsMap: { Method: method, Resource: `/v1${path}` },
    });
  }

  private ofApi(metricName: string, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      statistic: metricName === 'Count' ? Stats.SAMPLE_COUNT : Stats.SUM,
      ...options,
      dimensionsMap: {
        ApiName: this.props.restApi.restApiName,
        Stage: this.props.stage,
        ...options.dimensionsMap,
      },
    });
  }

  private ofService(metricName: MetricName | AccessLogMetric, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace,
      metricName,
      statistic: Stats.SUM,
      ...options,
      dimensionsMap: { Stage: this.props.stage, ...options.dimensionsMap },
    });
  }
}

function throttled(table: Table, metricName: string): Metric {
  return table.metric(metricName, { statistic: Stats.SUM, period: Duration.minutes(1) });
}
