import { create, element } from './elements.ts';
import { type ListPreview, parseShownOrder, type ShownOrder } from './list-preview.ts';

const numbers = new Intl.NumberFormat('en');

/** The first orders of the list, each with a button that cancels it. */
export class OrdersView {
  readonly #region = element('orders');
  readonly #rows = element('rows');
  readonly #more = element('more');
  readonly #cancel: (orderId: string) => void;

  constructor(cancel: (orderId: string) => void) {
    this.#cancel = cancel;
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
    const { id = '', petId = '', quantity = '', shipDate = '', complete } = order;
    const row = create('tr', '', { 'data-id': id });
    const button = create('button', 'Cancel', {
      type: 'button',
      class: 'quiet',
      'aria-label': `Cancel order ${id}`,
    });
    button.addEventListener('click', () => this.#cancel(id));
    const action = create('td');
    action.append(button);
    row.append(
      create('td', id, { class: 'number' }),
      create('td', petId, { class: 'number' }),
      create('td', String(quantity), { class: 'number' }),
      create('td', shipDate.replace('T', ' ').replace('Z', ' UTC')),
      create('td', complete === undefined ? '' : complete ? 'yes' : 'no'),
      action,
    );
    return row;
  }
}
