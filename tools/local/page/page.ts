import { element, numbers } from './elements.ts';
import { type Answer, type ApiRequest, exchange } from './exchange.ts';
import { forgetLimits, showLimits } from './limits.ts';
import {
  keepOrders,
  parseOrders,
  removeOrders,
  type ShownOrder,
  showOrders,
  showOutcome,
} from './orders.ts';

const baseUrl = element('baseUrl').textContent;
const keyField = element<HTMLInputElement>('apiKey');
const keyChoice = element<HTMLSelectElement>('demoKey');
const orderId = element<HTMLInputElement>('orderId');
const listRequest: ApiRequest = { method: 'GET', url: `${baseUrl}/store/orders` };

let shownCommand = listRequest;
let listing: AbortController | undefined;

keyField.value = keyChoice.value;
// The last choice is "another key", so one choice means that there are no demo keys.
element('demoKeys').hidden = keyChoice.length === 1;
element('issueHint').hidden = keyChoice.length > 1;
showCommand(listRequest);
keyChoice.addEventListener('change', () => {
  keyField.value = keyChoice.value;
  changeKey();
});
keyField.addEventListener('input', changeKey);
element('listOrders').addEventListener('click', listOrders);
orderId.addEventListener('input', () => showCommand(cancelRequest(orderId.value)));
element('rows').addEventListener('click', ({ target }) => {
  if (target instanceof HTMLButtonElement) cancelOrder(target.value);
});
// A form, so that Enter sends the order id, too.
element('cancelForm').addEventListener('submit', (event) => {
  event.preventDefault();
  cancelOrder(orderId.value);
});
element('copy').addEventListener('click', copyCommand);

function changeKey(): void {
  keyChoice.value = currentKey();
  if (keyChoice.selectedIndex < 0) keyChoice.value = '';
  showRefusal(false);
  forgetLimits();
  showCommand(shownCommand);
}

/** The key in the field, without characters that a header cannot contain. No key has such a character. */
function currentKey(): string {
  return keyField.value.trim().replaceAll(/[^ -~]/g, '?');
}

async function listOrders(): Promise<void> {
  listing?.abort();
  listing = new AbortController();
  let orders: ShownOrder[] | undefined;
  const read = async (body: string) => {
    orders = await parseOrders(body);
    return `${numbers.format(orders.length)} orders`;
  };
  const answer = await send(listRequest, read, listing.signal);
  if (answer && orders) showOrders(orders);
  else if (answer && answer.response?.status !== 401) keepOrders();
}

async function cancelOrder(id: string): Promise<void> {
  const read = () => `Order ${id} is cancelled. It stays in the list, which shows no states.`;
  const answer = await send(cancelRequest(id), read);
  showOutcome(id, `${answer?.response?.status ?? 'no response'} ${answer?.code ?? ''}`);
}

function cancelRequest(id: string): ApiRequest {
  return { method: 'DELETE', url: `${baseUrl}/store/orders/${encodeURIComponent(id)}` };
}

/** Sends a request with the key of the field, and shows its response. */
async function send(
  request: ApiRequest,
  read: (body: string) => string | Promise<string>,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  showCommand(request);
  const key = currentKey();
  const answer = await exchange(request, key, read, signal);
  if (!answer?.response) return answer;
  const { headers, status } = answer.response;
  const isRefused = status === 401;
  if (isRefused) {
    listing?.abort();
    removeOrders();
  }
  // If another key was entered after the request, the response says nothing about it.
  if (key !== currentKey()) return answer;
  showLimits(headers, answer.code === 'api_key_banned');
  showRefusal(isRefused);
  return answer;
}

function showRefusal(isRefused: boolean): void {
  keyField.ariaInvalid = String(isRefused);
  element('refusal').hidden = !isRefused;
  if (isRefused) keyField.focus();
}

/** Shows a request as a command for a shell. */
function showCommand(request: ApiRequest): void {
  shownCommand = request;
  const method = request.method === 'GET' ? '' : ` -X ${request.method}`;
  element('curl').textContent = `echo ${quoted(`Authorization: Bearer ${currentKey()}`)} |
  curl -sSi${method} -H @- ${quoted(request.url)}`;
  element('copy').textContent = 'Copy';
}

/** A text that a shell takes literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Copies the command. If the browser refuses to copy, the page says so. */
async function copyCommand(): Promise<void> {
  const copied = navigator.clipboard.writeText(element('curl').textContent);
  element('copy').textContent = await copied.then(
    () => 'Copied',
    () => 'Not allowed',
  );
}
