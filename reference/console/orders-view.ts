import {
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { create, element } from '../browser/elements.ts';
import type { ListPreview } from '../browser/list-preview.ts';
import {
  columnTitle,
  parseShownOrder,
  type ShownOrder,
  shownValue,
} from '../browser/shown-order.ts';
import type { SettledOrders } from './settled-orders.ts';

const numbers = new Intl.NumberFormat('en');

/** The first orders of the list, each with a cancel button unless it is settled. */
export class OrdersView {
  readonly #region = element('orders');
  readonly #rows = element('rows');
  readonly #more = element('more');
  readonly #settled: SettledOrders;
  readonly #cancel: (orderId: string) => void;

  constructor(settled: SettledOrders, cancel: (orderId: string) => void) {
    this.#settled = settled;
    this.#cancel = cancel;
    // The region scrolls, so it must be focusable even if it contains no button.
    this.#region.tabIndex = 0;
    element('columns').prepend(...orderFieldNames.map(heading));
  }

  show({ first, orders }: ListPreview): void {
    this.#rows.replaceChildren(...first.map((text) => this.#row(parseShownOrder(text))));
    this.#region.hidden = first.length === 0;
    this.#more.hidden = orders <= first.length;
    this.#more.textContent = `The first ${numbers.format(first.length)} of ${numbers.format(orders)} orders.`;
  }

  /** Removes the button from an order's row when the order is settled. */
  update(orderId: string): void {
    const row = this.#rows.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(orderId)}"]`);
    const outcome = this.#settled.of(orderId);
    if (row === null || outcome === undefined) return;
    const hadFocus = row.contains(document.activeElement);
    row.lastElementChild!.replaceChildren(create('strong', outcome));
    row.dataset.outcome = outcome;
    if (hadFocus) this.#focusAfter(row);
  }

  /** Moves the focus from a button that is removed to the next one. */
  #focusAfter(row: HTMLElement): void {
    const buttons = [...this.#rows.querySelectorAll('button')];
    const isBehind = (button: Node) =>
      (row.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    (buttons.find(isBehind) ?? this.#region).focus();
  }

  #row(order: ShownOrder): HTMLElement {
    const id = String(order.id ?? '');
    const outcome = this.#settled.of(id) ?? (order.complete === true ? 'fulfilled' : undefined);
    const row = create('tr', '', { 'data-id': id });
    const action = create('td');
    action.append(outcome === undefined ? this.#button(id) : create('strong', outcome));
    if (outcome !== undefined) row.dataset.outcome = outcome;
    row.append(...orderFieldNames.map((name) => cell(name, order[name])), action);
    return row;
  }

  #button(orderId: string): HTMLElement {
    const button = create('button', 'Cancel', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Cancel order ${orderId}`,
    });
    button.addEventListener('click', () => this.#cancel(orderId));
    return button;
  }
}

function heading(name: OrderFieldName): HTMLElement {
  return create('th', columnTitle(name), {
    scope: 'col',
    ...alignment(name),
  });
}

function cell(name: OrderFieldName, value: ShownOrder[OrderFieldName]): HTMLElement {
  return create('td', shownValue(value, orderFields[name]), {
    'data-label': columnTitle(name),
    ...alignment(name),
  });
}

function alignment(name: OrderFieldName): Record<string, string> {
  return orderFields[name].type === 'integer' ? { class: 'number' } : {};
}
