import type { cancellationRefusals } from '../contract/errors.ts';

/** The code of the error that says why an order cannot be cancelled. */
type CancelRefusal = keyof typeof cancellationRefusals;

/**
 * The states of an order, by the value of its attribute `status`, each with the error of a client's attempt to cancel
 * an order in this state. The responses to a cancellation and the states that operators can import derive from it.
 */
const orderStates = {
  pending: undefined,
  shipped: 'order_already_shipped',
  cancelled: 'order_already_cancelled',
} as const satisfies Readonly<Record<string, CancelRefusal | undefined>>;

export type OrderStatus = keyof typeof orderStates;

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

// A map, because an object also has members such as `constructor`.
const refusals = new Map<string, CancelRefusal | undefined>(Object.entries(orderStates));

/** The error for an order with a `status` other than `pending`. The status may be missing or unknown. */
export function cancelRefusal(status = ''): CancelRefusal {
  return refusals.get(status) ?? 'order_not_cancellable';
}
