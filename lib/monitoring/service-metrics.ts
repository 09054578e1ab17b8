import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, type MetricOptions, Stats, Unit } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration } from 'aws-cdk-lib/core';
import { rejections } from '../../lambdas/contract/errors.ts';
import {
  cancellationOutcomes,
  type MetricName,
  metricNamespace,
} from '../../lambdas/contract/metric-definitions.ts';
import { operations, versionPath } from '../settings/functions.ts';
import type { StageName } from '../settings/stages.ts';

const listsPath = `${versionPath}${operations.listOrders.path}`;

const isNoRefusedList = `($.integrationStatus != "429" || $.resource != "${listsPath}")`;

/**
 * The metrics of the access log, each with the condition on the lines that it counts. The log quotes all values, so a
 * status is compared as text.
 *
 * A list is refused if all environments that lists may occupy are taken. Then Lambda responds with 429 to API Gateway,
 * and API Gateway responds with 503 to the client. `integrationStatus` is Lambda's own status.
 *
 * An accepted request got a 2xx or a 5xx, and was not a refused list. A preflight is not an accepted request, because a
 * browser sends it without a key.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-apigateway-errors.html
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
export const accessLogConditions = {
  RequestsAdmitted: '$.keyId = "key_*" && $.status != "429"',
  RequestsAccepted: `($.status = "2*" || $.status = "5*") && $.method != "OPTIONS" && ${isNoRefusedList}`,
  ClientErrors: '$.status = "4*"',
  TooManyRequests: '$.status = "429"',
  ServerErrors: `$.status = "5*" && ${isNoRefusedList}`,
  ListsRefused: `$.integrationStatus = "429" && $.resource = "${listsPath}"`,
  AuthorizerFailures: '$.errorType = "AUTHORIZER_*"',
} as const;

type AccessLogMetric = keyof typeof accessLogConditions;

export interface ServiceMetricsProps {
  readonly stage: StageName;
  readonly restApi: RestApi;
  readonly tables: { readonly orders: ITable; readonly apiKeys: ITable };
  readonly accessLog: LogGroup;
}

export type ServiceMetrics = ReturnType<typeof serviceMetrics>;

/** The metrics of one stage, from API Gateway, DynamoDB, the access log and the functions. */
export function serviceMetrics({ stage, restApi, tables, accessLog }: ServiceMetricsProps) {
  const ofService = (metricName: MetricName | AccessLogMetric, options: MetricOptions = {}) =>
    new Metric({
      namespace: metricNamespace,
      metricName,
      statistic: Stats.SUM,
      dimensionsMap: { Stage: stage },
      ...options,
    });
  const ofEach = (
    metricName: MetricName,
    dimension: string,
    values: readonly string[],
    statistic: string = Stats.SUM,
  ) =>
    values.map((value) => {
      const dimensionsMap = { Stage: stage, [dimension]: value };
      return ofService(metricName, { statistic, dimensionsMap, label: value });
    });
  return {
    requests: new Metric({
      namespace: 'AWS/ApiGateway',
      metricName: 'Count',
      statistic: Stats.SAMPLE_COUNT,
      dimensionsMap: { ApiName: restApi.restApiName, Stage: stage },
    }),
    // The CDK's `metricIncomingLogEvents` is not used, because its name `IncomingLogs` and its lack of dimensions leave
    // it without data.
    accessLogLines: new Metric({
      namespace: 'AWS/Logs',
      metricName: 'IncomingLogEvents',
      statistic: Stats.SUM,
      dimensionsMap: { LogGroupName: accessLog.logGroupName },
    }),
    clientErrors: ofService('ClientErrors'),
    tooManyRequests: ofService('TooManyRequests'),
    serverErrors: ofService('ServerErrors'),
    listsRefused: ofService('ListsRefused'),
    listsBrokenOff: ofService('ListsBrokenOff'),
    authorizerFailures: ofService('AuthorizerFailures'),
    /** Alarms divide by this number, because nobody can increase it without a key or beyond a key's limits. */
    accepted: ofService('RequestsAccepted'),
    admitted: ofService('RequestsAdmitted'),
    rejected: ofEach('RequestsRejected', 'Reason', Object.keys(rejections)),
    keysBanned: ofService('KeysBanned'),
    cancellationsRequested: ofEach(
      'CancellationLatency',
      'Outcome',
      cancellationOutcomes,
      Stats.SAMPLE_COUNT,
    ),
    ordersListed: ofService('OrdersListed'),
    // The maximum, not the sum, because every list counts the same items again.
    unlistedItems: ofService('UnlistedItems', { statistic: Stats.MAXIMUM }),
    bytesStreamed: ofService('BytesStreamed', { unit: Unit.BYTES }),
    throttled: [tables.apiKeys, tables.orders].flatMap((table) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) =>
        table.metric(name, { statistic: Stats.SUM }),
      ),
    ),
    /**
     * The latency in milliseconds of the cancellations that reached the function. API Gateway's own metric
     * includes refused requests, which take only a few milliseconds.
     */
    cancelLatency: (statistic: string) =>
      ofService('CancellationLatency', {
        statistic,
        period: Duration.minutes(5),
        label: `cancelOrder ${statistic}`,
      }),
  };
}
