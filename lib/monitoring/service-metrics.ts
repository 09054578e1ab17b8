import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, type MetricOptions, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import {
  cancellationOutcomes,
  type MetricName,
  metricNamespace,
  rejectionReasons,
} from '../../lambdas/domain/metric-definitions.ts';
import { operations } from '../settings/functions.ts';
import type { StageName } from '../settings/stages.ts';

const listsPath = `/v1${operations.listOrders.path}`;

/**
 * What is counted in the access log, by the name of the metric, with the pattern of the lines. The log
 * quotes all values, so a status is compared as text.
 *
 * A list is refused if all environments that lists may occupy are taken: Lambda then responds with 429
 * to API Gateway, and API Gateway with 503 to the client. `integrationStatus` is Lambda's own status.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
export const accessLogPatterns = {
  ClientErrors: '{ $.status = "4*" }',
  TooManyRequests: '{ $.status = "429" }',
  ServerErrors: `{ $.status = "5*" && ($.integrationStatus != "429" || $.resource != "${listsPath}") }`,
  ListsRefused: `{ $.integrationStatus = "429" && $.resource = "${listsPath}" }`,
  AuthorizerFailures: '{ $.errorType = "AUTHORIZER_*" }',
} as const;

type AccessLogMetric = keyof typeof accessLogPatterns;

export interface ServiceMetricsProps {
  readonly stage: StageName;
  readonly restApi: RestApi;
  readonly tables: { readonly orders: ITable; readonly apiKeys: ITable };
  readonly accessLog: LogGroup;
}

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** The metrics of one stage, from API Gateway, DynamoDB, the access log and the functions. */
export function serviceMetrics({ stage, restApi, tables, accessLog }: ServiceMetricsProps) {
  const ofApi = (metricName: string, { dimensionsMap, ...options }: MetricOptions) =>
    new Metric({
      namespace: 'AWS/ApiGateway',
      metricName,
      ...options,
      dimensionsMap: { ApiName: restApi.restApiName, Stage: stage, ...dimensionsMap },
    });
  const ofService = (
    metricName: MetricName | AccessLogMetric,
    { dimensionsMap, ...options }: MetricOptions = {},
  ) =>
    new Metric({
      namespace: metricNamespace,
      metricName,
      statistic: Stats.SUM,
      ...options,
      dimensionsMap: { Stage: stage, ...dimensionsMap },
    });
  const { orders, apiKeys } = tables;
  return {
    requests: ofApi('Count', { statistic: Stats.SAMPLE_COUNT }),
    // `metricIncomingLogEvents` of the CDK names a metric that does not exist, without a dimension.
    accessLogLines: new Metric({
      namespace: 'AWS/Logs',
      metricName: 'IncomingLogEvents',
      statistic: Stats.SUM,
      dimensionsMap: { LogGroupName: accessLog.logGroupName },
    }),
    clientErrors: ofService('ClientErrors'),
    tooManyRequests: ofService('TooManyRequests'),
    /** Without the refused lists. */
    serverErrors: ofService('ServerErrors'),
    listsRefused: ofService('ListsRefused'),
    listsBrokenOff: ofService('ListsBrokenOff'),
    authorizerFailures: ofService('AuthorizerFailures'),
    admitted: ofService('RequestsAdmitted'),
    rejected: rejectionReasons.map((Reason) =>
      ofService('RequestsRejected', { dimensionsMap: { Reason }, label: Reason }),
    ),
    keysBanned: ofService('KeysBanned'),
    cancellationsRequested: cancellationOutcomes.map((Outcome) =>
      ofService('CancellationsRequested', { dimensionsMap: { Outcome }, label: Outcome }),
    ),
    ordersListed: ofService('OrdersListed'),
    bytesStreamed: ofService('BytesStreamed', { unit: Unit.BYTES }),
    /** Throttled reads and writes of the tables, by the id of their alarm. */
    throttledTables: {
      ApiKeyReadsThrottled: throttled(apiKeys, 'ReadThrottleEvents'),
      ApiKeyWritesThrottled: throttled(apiKeys, 'WriteThrottleEvents'),
      OrderReadsThrottled: throttled(orders, 'ReadThrottleEvents'),
      OrderWritesThrottled: throttled(orders, 'WriteThrottleEvents'),
    },
    /** API Gateway's latency of cancellations in milliseconds, whatever the response. */
    cancelLatency: (statistic: string) =>
      ofApi('Latency', {
        statistic,
        period: Duration.minutes(5),
        label: `cancelOrder ${statistic}`,
        dimensionsMap: {
          Method: operations.cancelOrder.method,
          Resource: `/v1${operations.cancelOrder.path}`,
        },
      }),
  };
}

function throttled(table: ITable, metricName: string): Metric {
  return table.metric(metricName, { statistic: Stats.SUM, period: Duration.minutes(1) });
}
