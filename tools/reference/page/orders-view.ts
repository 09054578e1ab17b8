import {
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/shared/order-fields.ts';
import { orderStates, orderStatuses } from '../../../lambdas/shared/order-states.ts';
import { create, element, numbers } from './elements.ts';
import { columnTitle, type ShownOrder, shownValue } from './shown-order.ts';

/** The states in which orders cannot be cancelled, by the error code of the answer that says so. */
const statesByCode = new Map<string | undefined, string>(
  orderStatuses.map((status) => [orderStates[status].refusal?.code, status]),
);

// More rows would make the page slow, and nobody reads them.
const shownOrders = 100;

/** The first orders of the list, each with a button that cancels it. */
export class OrdersView {
  readonly #rows = element('rows');
  readonly #cancel: (orderId: string) => void;
  /** The states of orders that cannot be cancelled any more, which the list does not show. */
  readonly #settled = new Map<string, string>();

  constructor(cancel: (orderId: string) => void) {
    this.#cancel = cancel;
    // The region scrolls, so the keyboard has to reach it.
    element('orders').tabIndex = 0;
    element('columns').prepend(...orderFieldNames.map(heading));
  }

  show(orders: readonly ShownOrder[]): void {
    const first = orders.slice(0, shownOrders);
    this.#rows.replaceChildren(...first.map((order) => this.#row(order)));
    element('orders').hidden = first.length === 0;
    element('more').hidden = orders.length === first.length;
    element('more').textContent =
      `The first ${shownOrders} of ${numbers.format(orders.length)} orders.`;
  }

  /**
   * Shows in an order's row what became of its cancellation.
   *
   * @param errorCode the error code of the answer; undefined if the order was cancelled
   */
  showOutcome(orderId: string, errorCode: string | undefined): void {
    const state = errorCode === undefined ? 'cancelled' : statesByCode.get(errorCode);
    if (state !== undefined) this.#settled.set(orderId, state);
    const row = this.#rows.querySelector(`tr[data-id="${CSS.escape(orderId)}"]`);
    if (!row) return;
    row.querySelector('.hint')!.textContent = state === undefined ? errorCode! : '';
    this.#showState(row.querySelector('button')!, orderId);
  }

  /** Shows on the button of an order that cannot be cancelled any more which state it has. */
  #showState(button: HTMLElement, orderId: string): void {
    const state = this.#settled.get(orderId);
    if (state === undefined) return;
    // The button is neither removed nor disabled, because it may have the keyboard's focus.
    button.textContent = state;
    button.setAttribute('aria-label', `Order ${orderId} is ${state}`);
    button.setAttribute('aria-disabled', 'true');
  }

  #row(order: ShownOrder): HTMLElement {
    const id = String(order.id ?? '');
    const button = create('button', 'Cancel', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Cancel order ${id}`,
    });
    button.addEventListener('click', () => {
      if (button.getAttribute('aria-disabled') === null) this.#cancel(id);
    });
    this.#showState(button, id);
    const action = create('td');
    action.append(button, create('p', '', { class: 'hint' }));
    const row = create('tr', '', { 'data-id': id });
    row.append(...orderFieldNames.map((name) => cell(name, order[name])), action);
    return row;
  }
}

function heading(name: OrderFieldName): HTMLElement {
  return create('th', columnTitle(name), { scope: 'col', ...alignment(name) });
}

function cell(name: OrderFieldName, value: ShownOrder[OrderFieldName]): HTMLElement {
  return create('td', shownValue(value, orderFields[name]), {
    'data-label': columnTitle(name),
    ...alignment(name),
  });
}

function alignment(name: OrderFieldName): Record<string, string> {
  return { class: orderFields[name].type === 'integer' ? 'number' : name };
}
