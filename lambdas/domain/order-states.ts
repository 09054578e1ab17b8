/** Why an order cannot be cancelled: the code and the message of the 409 that says so. */
export interface CancelRefusal {
  readonly code: string;
  readonly message: string;
}

interface OrderState {
  /** Whether the state is final: no operator's command changes it. */
  readonly isFinal: boolean;
  /** Why a client cannot cancel an order in this state; undefined if it can. */
  readonly refusal: CancelRefusal | undefined;
}

/**
 * The states of an order, by the value of its attribute `status`. The responses to a cancellation, the
 * outcomes that the metrics count, and what operators can import and change derive from this record.
 */
export const orderStates = {
  pending: { isFinal: false, refusal: undefined },
  shipped: {
    isFinal: true,
    refusal: {
      code: 'order_already_shipped',
      message: 'The order has already shipped and cannot be cancelled.',
    },
  },
  cancelled: {
    isFinal: false,
    refusal: {
      code: 'order_already_cancelled',
      message: 'The order has already been cancelled.',
    },
  },
} as const satisfies Readonly<Record<string, OrderState>>;

export type OrderStatus = keyof typeof orderStates;

/** A state that an operator can take an order out of. */
export type ChangeableStatus = {
  [Status in OrderStatus]: (typeof orderStates)[Status]['isFinal'] extends true ? never : Status;
}[OrderStatus];

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

/** For an order without a state, or in a state that another program has set and the record lacks. */
const unknownState = {
  code: 'order_not_cancellable',
  message: 'Only a pending order can be cancelled.',
} as const satisfies CancelRefusal;

/** Why an order with this `status`, which can be unknown, cannot be cancelled. */
export function cancelRefusal(status: string | undefined): CancelRefusal {
  const states: Readonly<Record<string, OrderState>> = orderStates;
  return states[status ?? '']?.refusal ?? unknownState;
}

/** Every reason for which a cancellation can be refused. */
export const cancelRefusals = [
  ...orderStatuses.flatMap((status) => orderStates[status].refusal ?? []),
  unknownState,
];
