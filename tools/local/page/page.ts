import { element, numbers, show } from './elements.ts';
import { parseOrders, showOrders, showOutcome } from './orders.ts';

const shownCharacters = 2_000;
const limitTitles = { minute: 'This minute', day: 'Today (UTC)' };

const keyField = element<HTMLInputElement>('apiKey');
const keyChoice = element<HTMLSelectElement>('demoKey');
const orderId = element<HTMLInputElement>('orderId');
// The page calls its own origin, because the proxy of a development container may replace the host's name.
const baseUrl = location.origin + element('baseUrl').textContent;
const listRequest = new Request(`${baseUrl}/store/orders`);

let shownRequest = listRequest;
let listing: AbortController | undefined;

show('baseUrl', baseUrl);
keyField.value = keyChoice.value;
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

function changeKey(): void {
  keyChoice.value = currentKey();
  if (keyChoice.selectedIndex < 0) keyChoice.value = '';
  showRefusal(false);
  showLimits();
  showCommand(shownRequest);
}

/** The key in the field, without characters that a header cannot contain. No key has such a character. */
function currentKey(): string {
  return keyField.value.trim().replaceAll(/[^ -~]/g, '?');
}

async function listOrders(): Promise<void> {
  listing?.abort();
  listing = new AbortController();
  const { signal } = listing;
  showOrders(undefined);
  const read = async (body: string) => {
    const orders = await parseOrders(body);
    signal.throwIfAborted();
    showOrders(orders);
    return `${numbers.format(orders.length)} orders`;
  };
  await send(listRequest, read, signal);
}

async function cancelOrder(id: string): Promise<void> {
  const read = () => `Order ${id} is cancelled. It stays in the list, which shows no states.`;
  showOutcome(id, await send(cancelRequest(id), read));
}

function cancelRequest(id: string): Request {
  return new Request(`${listRequest.url}/${encodeURIComponent(id)}`, { method: 'DELETE' });
}

/**
 * Sends a request with the key of the field, and shows its answer, unless `signal` has ended the request.
 *
 * @param read returns a message about the body of a success, or throws if the body is incomplete
 * @returns the answer's status and code
 */
async function send(
  request: Request,
  read: (body: string) => string | Promise<string>,
  signal?: AbortSignal,
): Promise<string> {
  const { method, url } = request;
  const key = currentKey();
  showCommand(request);
  show('outcome', 'Waiting …');
  show('exchange', `${method} ${url}`);
  const startedAtMs = performance.now();
  let response: Response | undefined;
  let body = '';
  let code = '';
  let message: string;
  try {
    response = await fetch(request, { signal, headers: { Authorization: `Bearer ${key}` } });
    body = await response.text();
    if (response.ok) message = await read(body);
    else ({ code, message } = JSON.parse(body));
  } catch (cause) {
    const reason = `${(cause as Error).message}. Is npm start still running?`;
    message = response ? 'The response broke off.' : reason;
  }
  if (signal?.aborted) return '';
  const { status, statusText, headers = new Headers() } = response ?? {};
  const answer = response ? `${status} ${statusText} ${code}` : 'No response';
  show('outcome', `${answer} ${message}`);
  const [ms, bytes] = [performance.now() - startedAtMs, new Blob([body]).size].map(numbers.format);
  // An operator finds a request in the logs by this id.
  const id = headers.get('x-amz-apigw-id') ?? 'unknown';
  show('exchange', `${method} ${url} · ${ms} ms · ${bytes} bytes · id ${id}`);
  const lines = [...headers].map((header) => `${header.join(': ')}\n`);
  const isCut = body.length > shownCharacters;
  show('raw', `${lines.join('')}\n${body.slice(0, shownCharacters)}${isCut ? ' …' : ''}`);
  // Nothing is shown if another key was entered after the request, because the response says nothing about that key.
  if (response && key === currentKey()) {
    showLimits(headers);
    showRefusal(status === 401);
  }
  return `${status ?? 'no response'} ${code}`;
}

/** Shows the limits that a response names. Without a response, or if it names none, they are unknown. */
function showLimits(headers = new Headers()): void {
  element('limits').hidden = parameter(headers, 'RateLimit-Policy', 'minute', 'q') === 0;
  for (const name of ['minute', 'day'] as const) {
    const limit = parameter(headers, 'RateLimit-Policy', name, 'q');
    const value = parameter(headers, 'RateLimit', name, 'r');
    const seconds = parameter(headers, 'RateLimit', name, 't');
    const left = `${numbers.format(value)} of ${numbers.format(limit)} left`;
    show(
      `${name}Text`,
      `${limitTitles[name]}: ${left}, resets in ${numbers.format(seconds)} seconds`,
    );
    // The optimum is above `low`, so the browser shows a value below `low` as a warning.
    Object.assign(element(name), { max: limit, low: limit / 5, optimum: limit, value });
  }
}

/** A number of a structured header, such as 58 for `r` of `minute` in `"minute";r=58;t=24, "day";r=998;t=48144`. */
function parameter(headers: Headers, header: string, window: string, name: string): number {
  const found = new RegExp(`"${window}"[^,]*;${name}=(\\d+)`).exec(headers.get(header) ?? '');
  return Number(found?.[1] ?? 0);
}

function showRefusal(isRefused: boolean): void {
  keyField.ariaInvalid = String(isRefused);
  element('refusal').hidden = !isRefused;
  if (isRefused) keyField.focus();
}

/** Shows a request as a command for a shell. */
function showCommand(request: Request): void {
  shownRequest = request;
  const method = request.method === 'GET' ? '' : ` -X ${request.method}`;
  show(
    'curl',
    `echo ${quoted(`Authorization: Bearer ${currentKey()}`)} |
  curl -sSi${method} -H @- ${quoted(request.url)}`,
  );
}

/** Quotes a text, so that a shell takes it literally. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
