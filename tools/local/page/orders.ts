import {
  type OrderField,
  type OrderFieldName,
  orderFieldNames,
  orderFields,
} from '../../../lambdas/domain/order-fields.ts';
import { create, element, numbers } from './elements.ts';

/** An order to show. Absent fields are undefined, and integers are texts, so that every digit stays. */
export type ShownOrder = Readonly<Partial<Record<OrderFieldName, string | boolean>>>;

// More rows would make the page slow, and nobody reads them.
const rowsAtOnce = 100;

const integerNames = Object.entries<OrderField>(orderFields)
  .filter(([, { type }]) => type === 'integer')
  .map(([name]) => name);

/** Matches integers in JSON. It cannot match within a string, because a string has its quotes escaped. */
const integerMember = new RegExp(`("(?:${integerNames.join('|')})"\\s*:\\s*)(-?\\d+)`, 'g');

const prefix = element<HTMLInputElement>('idPrefix');
let orders: readonly ShownOrder[] = [];
let matching: readonly ShownOrder[] = [];
let shownCount = 0;
let listedAt = '';
/** The last answer to a cancellation of each order, by its id. */
const outcomes = new Map<string, string>();

element('columns').append(
  ...[...orderFieldNames, 'cancel'].map((name) =>
    create('th', { textContent: name, scope: 'col' }),
  ),
);
prefix.addEventListener('input', showMatching);
element('more').addEventListener('click', showMore);

/** @throws SyntaxError if the body is not JSON, for example because the list broke off */
export async function parseOrders(body: string): Promise<ShownOrder[]> {
  const quoted = body.replace(integerMember, '$1"$2"');
  // A pause between the two steps, which take about the same time, so that the page can react to its user.
  await new Promise((resolve) => setTimeout(resolve));
  return JSON.parse(quoted);
}

/** Shows a list that has just arrived. */
export function showOrders(listed: readonly ShownOrder[]): void {
  orders = listed;
  outcomes.clear();
  listedAt = `${new Date().toISOString().slice(11, 19)} UTC`;
  element('listedAt').textContent = `Listed at ${listedAt}`;
  element('orders').hidden = false;
  showMatching();
}

/** Says that the orders are from an earlier list, because a newer list failed. */
export function keepOrders(): void {
  if (listedAt) element('listedAt').textContent = `Not updated: listed at ${listedAt}`;
}

/** Removes the orders, because their key was refused. */
export function removeOrders(): void {
  showOrders([]);
  listedAt = '';
  element('listedAt').textContent = 'A key that is refused shows no orders.';
  element('orders').hidden = true;
}

/** Shows the outcome of a cancellation in the order's row. */
export function showOutcome(orderId: string, outcome: string): void {
  outcomes.set(orderId, outcome);
  element(outcomeId(orderId))?.replaceChildren(outcome);
}

const outcomeId = (orderId: unknown) => `outcome-${orderId}`;

function showMatching(): void {
  matching = orders.filter(({ id }) => String(id).startsWith(prefix.value.trim()));
  shownCount = 0;
  element('rows').replaceChildren();
  showMore();
}

function showMore(): void {
  const added = matching.slice(shownCount, shownCount + rowsAtOnce);
  shownCount += added.length;
  element('rows').append(...added.map(row));
  const [shown, found, all] = [shownCount, matching.length, orders.length].map(numbers.format);
  element('shown').textContent = `${shown} of ${found} shown${found === all ? '' : ` (of ${all})`}`;
  const more = element('more');
  const hadFocus = document.activeElement === more;
  more.hidden = shownCount === matching.length;
  if (more.hidden && hadFocus) prefix.focus();
}

/** Makes the row of an order. The value of its button is the order's id. */
function row(order: ShownOrder): HTMLElement {
  const id = String(order.id);
  const button = create('button', { textContent: 'Cancel', className: 'small', value: id });
  button.ariaLabel = `Cancel order ${id}`;
  const outcome = create('small', { textContent: outcomes.get(id) ?? '', id: outcomeId(id) });
  const action = create('td', {});
  action.append(button, ' ', outcome);
  const fields = orderFieldNames.map((name) => String(order[name] ?? ''));
  const view = create('tr', {});
  view.append(...fields.map((textContent) => create('td', { textContent })), action);
  return view;
}
