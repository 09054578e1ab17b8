import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/domain/order-fields.ts';
import { create, element, numbers } from './elements.ts';

/** An order to show. Absent fields are undefined, and ids are texts, so that they are exact. */
type ShownOrder = Readonly<Partial<Record<OrderFieldName, string | number | boolean>>>;

// More rows would make the page slow, and nobody reads them.
const shownOrders = 100;

const idNames = Object.entries<OrderField>(orderFields)
  .filter(([, { format }]) => format === 'int64')
  .map(([name]) => name);

/** Matches ids in JSON. It cannot match within a string, because quotes are escaped there. */
const idMember = new RegExp(`("(?:${idNames.join('|')})"\\s*:\\s*)(-?\\d+)`, 'g');

/**
 * Reads a list of orders, and tells while it arrives how many have begun.
 *
 * @throws SyntaxError if it is not JSON, such as a list that is cut off
 */
export async function readOrders(
  response: Response,
  onCount: (count: number) => void,
): Promise<ShownOrder[]> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  let count = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    count += part.value.split('{').length - 1;
    onCount(count);
  }
  return JSON.parse(text.replace(idMember, '$1"$2"'));
}

/** Shows the first orders of a list, each with a button that cancels it. */
export function showOrders(orders: readonly ShownOrder[], cancel: (orderId: string) => void): void {
  const first = orders.slice(0, shownOrders);
  const titles = [...orderFieldNames, 'cancel'].map((name) => create('th', name, { scope: 'col' }));
  element('orderColumns').replaceChildren(...titles);
  element('orderRows').replaceChildren(...first.map((order) => row(order, cancel)));
  element('firstOrders').hidden = first.length === 0;
  element('moreOrders').hidden = orders.length === first.length;
  element('moreOrders').textContent =
    `The first ${shownOrders} of ${numbers.format(orders.length)} orders.`;
}

/** Shows in an order's row what became of its cancellation: `cancelled`, or an error code. */
export function showOutcome(orderId: string, outcome: string): void {
  const found = element('orderRows').querySelector(`[data-id="${CSS.escape(orderId)}"] small`);
  if (found) found.textContent = outcome;
}

function row(order: ShownOrder, cancel: (orderId: string) => void): HTMLElement {
  const id = String(order.id);
  const button = create('button', 'Cancel', { type: 'button', 'aria-label': `Cancel order ${id}` });
  button.addEventListener('click', () => cancel(id));
  const action = create('td');
  action.append(button, ' ', create('small'));
  const view = create('tr', '', { 'data-id': id });
  view.append(...orderFieldNames.map((name) => cell(order[name])), action);
  return view;
}

function cell(value: ShownOrder[OrderFieldName]): HTMLElement {
  if (value !== undefined) return create('td', String(value));
  const absent = create('td');
  absent.append(create('em', 'absent'));
  return absent;
}
