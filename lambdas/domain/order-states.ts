/** The code and the message of a 409, which say why an order cannot be cancelled. */
export interface CancelRefusal {
  readonly code: string;
  readonly message: string;
}

interface OrderState {
  /** Whether the state is final, so that no operator's command changes it. */
  readonly isFinal: boolean;
  /** Why a client cannot cancel an order in this state; undefined if a client can cancel it. */
  readonly refusal: CancelRefusal | undefined;
}

/**
 * The states of an order, by the value of its attribute `status`. Three things derive from this record: the responses
 * to a cancellation, the outcomes that the metrics count, and the states that operators can import and change.
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

/** A state that an operator's command can change. */
export type ChangeableStatus = {
  [Status in OrderStatus]: (typeof orderStates)[Status]['isFinal'] extends true ? never : Status;
}[OrderStatus];

export const orderStatuses = Object.keys(orderStates) as readonly OrderStatus[];

/** The refusal for an order without a state, or with a state that is not in the record. */
const unknownState = {
  code: 'order_not_cancellable',
  message: 'Only a pending order can be cancelled.',
} as const satisfies CancelRefusal;

/** The reason why an order with this `status` cannot be cancelled. The status may be unknown. */
export function cancelRefusal(status: string | undefined): CancelRefusal {
  const states: Readonly<Record<string, OrderState>> = orderStates;
  return states[status ?? '']?.refusal ?? unknownState;
}

/** Every reason for which a cancellation can be refused. */
export const cancelRefusals = [
  ...orderStatuses.flatMap((status) => orderStates[status].refusal ?? []),
  unknownState,
];
