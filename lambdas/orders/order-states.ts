/** The code and the message of a 409, which say why an order cannot be cancelled. */
export interface CancelRefusal {
  readonly code: string;
  readonly message: string;
}

/**
 * The states of an order, by the value of its attribute `status`, each with the reason why a client cannot cancel an
 * order in this state. Three things derive from this record: the responses to a cancellation, the outcomes that the
 * metrics count, and the states that operators can import.
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

/** A state that an operator's command can change. A shipped order stays as it is. */
export type ChangeableStatus = Exclude<OrderStatus, 'shipped'>;

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

/** The refusal for an order without a state, or with a state that is not in the record. */
const unknownState = {
  code: 'order_not_cancellable',
  message: 'Only a pending order can be cancelled.',
} as const satisfies CancelRefusal;

// A map, because an object also has members such as `constructor`.
const refusals = new Map<string, CancelRefusal | undefined>(Object.entries(orderStates));

/** The reason why an order with a `status` other than `pending` cannot be cancelled. The status may be unknown. */
export function cancelRefusal(status = ''): CancelRefusal {
  return refusals.get(status) ?? unknownState;
}

/** Every reason for which a cancellation can be refused. */
export const cancelRefusals = [
  ...orderStatuses.flatMap((status) => orderStates[status] ?? []),
  unknownState,
];
