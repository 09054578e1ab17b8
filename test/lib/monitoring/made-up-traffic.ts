import type { StageName } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';
import { type MetricIdentity, RecordedMetrics } from './recorded-metrics.ts';

/** A response of the service with its fields in the access log. */
export interface Answer {
  readonly operation: 'listOrders' | 'cancelOrder';
  readonly status: number;
  /** The type of the gateway response, if API Gateway created the response. */
  readonly errorType?: string;
  readonly latencyMs: number;
}

/** The traffic of a minute. */
export interface Minute {
  readonly answers?: readonly Answer[];
  /** The metrics that the functions record for the stage as a whole. */
  readonly recorded?: Readonly<Record<string, number>>;
  /** The requests that DynamoDB throttled. */
  readonly throttled?: {
    readonly table: string;
    readonly metricName: string;
    readonly sum: number;
  };
}

const resource = { listOrders: '/v1/store/orders', cancelOrder: '/v1/store/orders/{orderId}' };
const method = { listOrders: 'GET', cancelOrder: 'DELETE' };

interface MetricFilter {
  readonly FilterPattern: string;
  readonly MetricTransformations: readonly [
    {
      readonly MetricNamespace: string;
      readonly MetricName: string;
      readonly MetricValue: string;
      readonly Dimensions: readonly { readonly Key: string; readonly Value: string }[];
    },
  ];
}

/** CloudWatch's metrics of some minutes, including those of the template's metric filters. */
export function metricsOf(stage: StageName, minutes: readonly Minute[]): RecordedMetrics {
  const metrics = new RecordedMetrics();
  const filters: MetricFilter[] = Object.values(properties(stage, 'AWS::Logs::MetricFilter'));
  minutes.forEach(({ answers = [], recorded = {}, throttled }, minute) => {
    recordApiMetrics(metrics, stage, minute, answers);
    for (const [answer, same] of Map.groupBy(answers, (each) => each)) {
      recordFiltered(metrics, filters, minute, logLine(stage, answer), same.length);
    }
    for (const [MetricName, value] of Object.entries(recorded)) {
      const Dimensions = [{ Name: 'Stage', Value: stage }];
      metrics.record({ Namespace: 'StoreOrders', MetricName, Dimensions }, minute, [value]);
    }
    if (throttled) {
      const Dimensions = [{ Name: 'TableName', Value: `\${Tables${throttled.table}}` }];
      const metric = { Namespace: 'AWS/DynamoDB', MetricName: throttled.metricName, Dimensions };
      metrics.record(metric, minute, [throttled.sum]);
    }
  });
  return metrics;
}

/** API Gateway's metrics: those of the stage, and those of each method. */
function recordApiMetrics(
  metrics: RecordedMetrics,
  stage: StageName,
  minute: number,
  answers: readonly Answer[],
): void {
  const ofStage = [
    { Name: 'ApiName', Value: `store-orders-${stage}` },
    { Name: 'Stage', Value: stage },
  ];
  const record = (Dimensions: MetricIdentity['Dimensions'], those: readonly Answer[]) => {
    for (const [MetricName, measure] of Object.entries(apiMetrics)) {
      const metric = { Namespace: 'AWS/ApiGateway', MetricName, Dimensions };
      metrics.record(metric, minute, those.map(measure));
    }
  };
  record(ofStage, answers);
  for (const [operation, those] of Map.groupBy(answers, (answer) => answer.operation)) {
    const ofMethod = [
      { Name: 'Method', Value: method[operation] },
      { Name: 'Resource', Value: resource[operation] },
    ];
    record([...ofStage, ...ofMethod], those);
  }
}

/** AWS counts a gateway response with a changed status as a `4XXError`. */
const isClientError = ({ errorType, status }: Answer) =>
  errorType !== undefined || (status >= 400 && status < 500);

const apiMetrics: Readonly<Record<string, (answer: Answer) => number>> = {
  Count: () => 1,
  '4XXError': (answer) => Number(isClientError(answer)),
  '5XXError': (answer) => Number(!isClientError(answer) && answer.status >= 500),
  Latency: ({ latencyMs }) => latencyMs,
};

/** The fields of the access log that filters use. All values are strings. */
function logLine(stage: StageName, { operation, status, errorType }: Answer) {
  return {
    stage,
    method: method[operation],
    resource: resource[operation],
    status: String(status),
    errorType: errorType ?? '-',
  };
}

function recordFiltered(
  metrics: RecordedMetrics,
  filters: readonly MetricFilter[],
  minute: number,
  line: Readonly<Record<string, string>>,
  times: number,
): void {
  for (const { FilterPattern, MetricTransformations } of filters) {
    if (!matches(FilterPattern, line)) continue;
    const [{ MetricNamespace, MetricName, MetricValue, Dimensions }] = MetricTransformations;
    const identity = {
      Namespace: MetricNamespace,
      MetricName,
      Dimensions: Dimensions.map(({ Key, Value }) => ({ Name: Key, Value: field(line, Value) })),
    };
    metrics.record(identity, minute, Array(times).fill(Number(MetricValue)));
  }
}

/** The only form of filter pattern in use: the text of a field, optionally with a final `*`. */
function matches(pattern: string, line: Readonly<Record<string, string>>): boolean {
  const [, selector, prefix] = /^\{ (\$\.\w+) = "([^"*]*)\*" \}$/.exec(pattern) ?? [];
  if (selector === undefined || prefix === undefined) throw new Error(`Unknown: ${pattern}`);
  return field(line, selector).startsWith(prefix);
}

function field(line: Readonly<Record<string, string>>, selector: string): string {
  const value = line[selector.replace('$.', '')];
  if (value === undefined) throw new Error(`The access log has no ${selector}`);
  return value;
}
