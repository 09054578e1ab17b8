import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, type MetricOptions, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Duration } from 'aws-cdk-lib/core';
import type { StageConfiguration } from '../settings/stages.ts';

/** Metrics that the functions record in the embedded metric format, and those of the access log. */
const namespace = 'StoreOrders';

/** Why a request was rejected, as the metric's dimension has it. */
const rejectionReasons = [
  'unauthorized',
  'rate_limit_exceeded',
  'quota_exceeded',
  'api_key_banned',
] as const;

/** How a cancellation ended, likewise. */
const cancellationOutcomes = [
  'cancelled',
  'order_not_found',
  'order_already_shipped',
  'order_already_cancelled',
  'order_not_cancellable',
] as const;

export interface ServiceMetricsProps {
  readonly configuration: StageConfiguration;
  readonly restApi: RestApi;
  readonly tables: { readonly orders: Table; readonly apiKeys: Table };
}

/** The metrics of one stage, from API Gateway, DynamoDB and the functions themselves. */
export class ServiceMetrics {
  readonly requests: Metric;
  /** Answers with a 4xx, by the access log. */
  readonly clientErrors: Metric;
  /** Answers with a 5xx, likewise. */
  readonly serverErrors: Metric;
  /** Requests that the authorizer neither admitted nor refused, likewise. */
  readonly authorizerFailures: Metric;
  readonly admitted: Metric;
  readonly rejected: Metric[];
  readonly keysBanned: Metric;
  readonly cancellationsRequested: Metric[];
  readonly ordersListed: Metric;
  readonly bytesStreamed: Metric;
  /** By alarm id. */
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

  /** Milliseconds from the arrival of a request to cancel to its answer, whatever that was. */
  cancelLatency(statistic: string): Metric {
    return this.ofApi('Latency', {
      statistic,
      period: Duration.minutes(5),
      label: `cancelOrder ${statistic}`,
      dimensionsMap: { Method: 'DELETE', Resource: '/v1/store/orders/{orderId}' },
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
        Stage: this.props.configuration.stage,
        ...options.dimensionsMap,
      },
    });
  }

  private ofService(metricName: string, options: MetricOptions = {}): Metric {
    return new Metric({
      namespace,
      metricName,
      statistic: Stats.SUM,
      ...options,
      dimensionsMap: { Stage: this.props.configuration.stage, ...options.dimensionsMap },
    });
  }
}

function throttled(table: Table, metricName: string): Metric {
  return table.metric(metricName, { statistic: Stats.SUM, period: Duration.minutes(1) });
}
