import {
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../lambdas/shared/order-fields.ts';
import { create, element } from './elements.ts';
import type { ListPreview } from './list-preview.ts';
import { columnTitle, parseShownOrder, type ShownOrder, shownValue } from './shown-order.ts';

const numbers = new Intl.NumberFormat('en');

/** The first orders of the list, each with a button that cancels it. */
export class OrdersView {
  readonly #region = element('orders');
  readonly #rows = element('rows');
  readonly #more = element('more');
  readonly #cancel: (orderId: string) => void;

  constructor(cancel: (orderId: string) => void) {
    this.#cancel = cancel;
    element('columns').prepend(...orderFieldNames.map(heading));
  }

  show({ first, orders }: ListPreview): void {
    this.#rows.replaceChildren(...first.map((text) => this.#row(parseShownOrder(text))));
    this.#region.hidden = first.length === 0;
    this.#more.hidden = orders <= first.length;
    this.#more.textContent = `The first ${numbers.format(first.length)} of ${numbers.format(orders)} orders.`;
  }

  /** Marks an order's row, where it is shown, with what became of its cancellation. */
  mark(orderId: string, isCancelled: boolean, explanation: string): void {
    const row = this.#rows.querySelector<HTMLElement>(`tr[data-id="${CSS.escape(orderId)}"]`);
    if (row === null) return;
    row.dataset.outcome = isCancelled ? 'cancelled' : 'refused';
    const hadFocus = row.contains(document.activeElement);
    row.lastElementChild?.replaceChildren(create(isCancelled ? 'strong' : 'em', explanation));
    // The button that was pressed is gone: the keyboard goes on from the next one.
    if (hadFocus) row.nextElementSibling?.querySelector('button')?.focus();
  }

  #row(order: ShownOrder): HTMLElement {
    const id = String(order.id ?? '');
    const row = create('tr', '', { 'data-id': id });
    const button = create('button', 'Cancel', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Cancel order ${id}`,
    });
    button.addEventListener('click', () => this.#cancel(id));
    const action = create('td');
    action.append(button);
    row.append(...orderFieldNames.map((name) => cell(name, order[name])), action);
    return row;
  }
}

function heading(name: OrderFieldName): HTMLElement {
  return create('th', columnTitle(name), { scope: 'col', ...alignment(name) });
}

function cell(name: OrderFieldName, value: ShownOrder[OrderFieldName]): HTMLElement {
  return create('td', shownValue(value, orderFields[name]), alignment(name));
}

function alignment(name: OrderFieldName): Record<string, string> {
  return orderFields[name].type === 'integer' ? { class: 'number' } : {};
}
