/** Why an order cannot be cancelled: the code and the message of the 409 that says so. */
export interface CancelRefusal {
  readonly code: string;
  readonly message: string;
}

/**
 * The states of an order, by the value of its attribute `status`, and why an order in each cannot be
 * cancelled: only a pending one can. The answers to a cancellation, the outcomes that the metrics count,
 * and what operators can import derive from this record.
 */
export const orderStates = {
  pending: undefined,
  shipped: {
    code: 'order_already_shipped',
    message: 'The order has already shipped and cannot be cancelled.',
  },
  cancelled: {
    code: 'order_already_cancelled',
    message: 'The order has already been cancelled.',
  },
} as const satisfies Readonly<Record<string, CancelRefusal | undefined>>;

export type OrderStatus = keyof typeof orderStates;

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

/** For an order that another program has put into a state which is not in the record, or in none. */
const unknownState: CancelRefusal = {
  code: 'order_not_cancellable',
  message: 'Only a pending order can be cancelled.',
};

/** Why an order with this `status`, which need not be one of the record's, cannot be cancelled. */
export function cancelRefusal(status: string | undefined): CancelRefusal {
  const refusals: Readonly<Record<string, CancelRefusal | undefined>> = orderStates;
  const isKnown = status !== undefined && Object.hasOwn(refusals, status);
  return (isKnown && refusals[status]) || unknownState;
}

/** Every reason for which a cancellation can be refused. */
export const cancelRefusals: readonly CancelRefusal[] = [
  ...orderStatuses.flatMap((status) => orderStates[status] ?? []),
  unknownState,
];
