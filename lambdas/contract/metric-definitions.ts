import { cancellationRefusals, type ErrorCode, failures, type rejections } from './errors.ts';
import { serviceName } from './service-name.ts';

/* The metrics that the functions record and that the dashboard, the alarms and the saved queries show. */

/** The namespace of the service's metrics in CloudWatch. */
export const metricNamespace = serviceName;

export const metricUnits = {
  RequestsRejected: 'Count',
  KeysBanned: 'Count',
  CancellationLatency: 'Milliseconds',
  OrdersListed: 'Count',
  BytesStreamed: 'Bytes',
  ListsBrokenOff: 'Count',
  UnlistedItems: 'Count',
} as const;

export type MetricName = keyof typeof metricUnits;

/** Why the authorizer rejects a request: the dimension `Reason` of `RequestsRejected`. */
export type RejectionReason = keyof typeof rejections;

/** How a cancellation ends: the dimension `Outcome` of `CancellationLatency`. */
export type CancellationOutcome = 'cancelled' | ErrorCode;

/** The outcomes of a cancellation with a valid order id. A request without a valid order id is not recorded. */
export const cancellationOutcomes = [
  'cancelled',
  ...Object.keys(cancellationRefusals),
  ...Object.keys(failures),
];
