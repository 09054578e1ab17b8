import { element, numbers, show } from './elements.ts';

/** An order to show. Integers are texts, so that every digit stays. */
type ShownOrder = Readonly<Record<string, string | boolean>>;

// A limit, because more rows would make the page slow, and nobody reads them.
const rowsAtOnce = 100;

/** Matches integers in JSON. It cannot match within a string, because the quotes in a string are escaped. */
const integerMember = /("\w+"\s*:\s*)(-?\d+)/g;

const prefix = element<HTMLInputElement>('idPrefix');
const rows = element<HTMLTableSectionElement>('rows');
// The names of the fields. The last column is left out, because it has the buttons.
const fields = [...element('columns').children].map(({ textContent }) => textContent).slice(0, -1);
let orders: readonly ShownOrder[] = [];

prefix.addEventListener('input', showMatching);
element('more').addEventListener('click', showMore);

/** @throws SyntaxError if the body is not JSON, for example because the list broke off */
export async function parseOrders(body: string): Promise<ShownOrder[]> {
  const quoted = body.replace(integerMember, '$1"$2"');
  // Pauses between two steps that take about the same time, so that the page can react to its user.
  await new Promise((resolve) => setTimeout(resolve));
  return JSON.parse(quoted);
}

/** Shows a list that has just arrived, or removes the orders of an earlier list. */
export function showOrders(listed: readonly ShownOrder[] | undefined): void {
  orders = listed ?? [];
  element('orders').hidden = !listed;
  showMatching();
}

/** Shows the outcome of a cancellation in the order's row. */
export function showOutcome(orderId: string, outcome: string): void {
  element(`outcome-${orderId}`)?.replaceChildren(outcome);
}

function showMatching(): void {
  rows.replaceChildren();
  showMore();
}

function showMore(): void {
  const matching = orders.filter(({ id }) => String(id).startsWith(prefix.value.trim()));
  const count = rows.childElementCount;
  for (const order of matching.slice(count, count + rowsAtOnce)) addRow(order);
  const counts = [rows.childElementCount, matching.length, orders.length];
  const [shown, found, all] = counts.map(numbers.format);
  show('shown', `${shown} of ${found} shown${found === all ? '' : ` (of ${all})`}`);
  const more = element('more');
  const hadFocus = document.activeElement === more;
  more.hidden = shown === found;
  if (more.hidden && hadFocus) prefix.focus();
}

/** Adds the row of an order. The value of its button is the order's id. */
function addRow(order: ShownOrder): void {
  const id = String(order.id);
  const row = rows.insertRow();
  for (const name of fields) row.insertCell().textContent = String(order[name] ?? '');
  const ariaLabel = `Cancel order ${id}`;
  const button = { textContent: 'Cancel', className: 'small', value: id, ariaLabel };
  row
    .insertCell()
    .append(
      Object.assign(document.createElement('button'), button),
      ' ',
      Object.assign(document.createElement('small'), { id: `outcome-${id}` }),
    );
}
