import { cancelRefusals } from '../orders/order-states.ts';
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

/** The reasons for which the authorizer rejects a request: the dimension `Reason` of `RequestsRejected`. */
export const rejectionReasons = [
  'unauthorized',
  'rate_limit_exceeded',
  'quota_exceeded',
  'api_key_banned',
] as const;

export type RejectionReason = (typeof rejectionReasons)[number];

/**
 * The outcomes of a cancellation with a valid order id: the dimension `Outcome` of `CancellationLatency`. All outcomes
 * except the first are error codes.
 */
export const cancellationOutcomes = [
  'cancelled',
  'order_not_found',
  ...cancelRefusals.map(({ code }) => code),
  'internal_error',
  'service_unavailable',
  'timeout',
] as const;

export type CancellationOutcome = (typeof cancellationOutcomes)[number];
