/** Why an order cannot be cancelled: the code and the message of the 409 that says so. */
export interface CancelRefusal {
  readonly code: string;
  readonly message: string;
}

/** What follows from the state that an order is in. */
interface OrderState {
  /** Undefined for `pending` alone, because only a pending order can be cancelled. */
  readonly cancelRefusal: CancelRefusal | undefined;
  /** Whether operators may import orders in this state. */
  readonly isImportable: boolean;
}

/**
 * The states of an order, by the value of its attribute `status`. The answers to a cancellation, the
 * outcomes that the metrics count, and what operators can import and ship derive from this record.
 */
export const orderStates = {
  pending: { cancelRefusal: undefined, isImportable: true },
  shipped: {
    cancelRefusal: {
      code: 'order_already_shipped',
      message: 'The order has already shipped and cannot be cancelled.',
    },
    isImportable: true,
  },
  cancelled: {
    cancelRefusal: {
      code: 'order_already_cancelled',
      message: 'The order has already been cancelled.',
    },
    isImportable: true,
  },
} as const satisfies Readonly<Record<string, OrderState>>;

export type OrderStatus = keyof typeof orderStates;

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

/** For an order that another program has put into a state which is not in the record, or in none. */
const unknownState: CancelRefusal = {
  code: 'order_not_cancellable',
  message: 'Only a pending order can be cancelled.',
};

/** Why an order with this `status`, which need not be one of the record's, cannot be cancelled. */
export function cancelRefusal(status: string | undefined): CancelRefusal {
  const states: Readonly<Record<string, OrderState>> = orderStates;
  const known = status !== undefined && Object.hasOwn(states, status);
  return (known && states[status]?.cancelRefusal) || unknownState;
}

/** Every reason for which a cancellation can be refused. */
export const cancelRefusals: readonly CancelRefusal[] = [
  ...orderStatuses.flatMap((status) => orderStates[status].cancelRefusal ?? []),
  unknownState,
];
