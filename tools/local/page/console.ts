import { showAllowance } from './allowance.ts';
import { create, element, numbers } from './elements.ts';
import { readOrders, showOrders, showOutcome } from './orders.ts';

interface ApiError {
  readonly code: string;
  readonly message: string;
}

const baseUrl = element('orderConsole').dataset.baseUrl!;
const keyField = element<HTMLInputElement>('apiKey');
let listing: AbortController | undefined;

/** Lets the console list and cancel orders with the key of its form, and show the key's remaining requests. */
export function startConsole(): void {
  element('listOrders').addEventListener('click', listOrders);
  element('stopList').addEventListener('click', () => listing?.abort());
  element('cancelForm').addEventListener('submit', (event) => {
    event.preventDefault();
    cancelOrder(element<HTMLInputElement>('orderId').value.trim());
  });
  keyField.addEventListener('input', () => showAllowance());
  for (const button of document.querySelectorAll<HTMLElement>('[data-key]')) {
    button.addEventListener('click', () => {
      keyField.value = button.dataset.key!;
      showAllowance();
    });
  }
  showAllowance();
}

async function listOrders(): Promise<void> {
  // The button stays enabled, so that it keeps the focus.
  if (listing) return;
  listing = new AbortController();
  element('stopList').hidden = false;
  const progress = element('listProgress');
  progress.textContent = '0 orders so far';
  const read = async (response: Response) => {
    const orders = await readOrders(response, (count) => {
      progress.textContent = `${numbers.format(count)} orders so far`;
    });
    showOrders(orders, cancelOrder);
    return `${numbers.format(orders.length)} orders`;
  };
  await send('GET', '/store/orders', read, listing.signal);
  listing = undefined;
  progress.textContent = '';
  if (document.activeElement === element('stopList')) element('listOrders').focus();
  element('stopList').hidden = true;
}

async function cancelOrder(orderId: string): Promise<void> {
  const path = `/store/orders/${encodeURIComponent(orderId)}`;
  const read = () =>
    `Order ${orderId} is cancelled. It stays in the list, which does not show an order's state.`;
  const error = await send('DELETE', path, read);
  showOutcome(orderId, error?.code ?? 'cancelled');
}

/**
 * Sends a request, shows its answer, and returns the error, if there was one. `read` returns what to say about a
 * successful answer, or throws if it is incomplete.
 */
async function send(
  method: string,
  path: string,
  read: (response: Response) => string | Promise<string>,
  signal?: AbortSignal,
): Promise<ApiError | undefined> {
  const url = new URL(baseUrl + path);
  element('lastAnswer').textContent = 'Waiting …';
  const startedAt = performance.now();
  let response: Response | undefined;
  let outcome: ApiError | string;
  try {
    const headers = { Authorization: `Bearer ${keyField.value.trim()}` };
    response = await fetch(url, { method, headers, signal });
    if (response.ok) showAllowance(response.headers);
    outcome = response.ok ? await read(response) : errorOf(await response.text());
  } catch (cause) {
    const { message } = cause as Error;
    outcome = signal?.aborted
      ? `Stopped: ${element('listProgress').textContent}.`
      : { code: 'no complete answer', message };
  }
  const elapsed = `${numbers.format(Math.round(performance.now() - startedAt))} ms`;
  showAnswer(outcome, response, `${method} ${url.pathname}`, elapsed);
  if (typeof outcome === 'string') return undefined;
  showAllowance(response?.headers, outcome.code === 'api_key_banned');
  return outcome;
}

/** An error that comes from a proxy need not have the form of the contract. */
function errorOf(text: string): ApiError {
  try {
    const { code, message } = JSON.parse(text);
    if (typeof code === 'string') return { code, message: String(message) };
  } catch {
    // A body that is not JSON is shown unchanged.
  }
  return { code: 'not an answer of this API', message: text.slice(0, 200) };
}

function showAnswer(
  outcome: ApiError | string,
  response: Response | undefined,
  request: string,
  elapsed: string,
): void {
  const line = create('p');
  line.append(create('strong', String(response?.status ?? 'Error')), ' ');
  if (typeof outcome === 'string') line.append(outcome);
  else line.append(linkedCode(outcome.code), ' ', outcome.message);
  const hint = create('small');
  // Operators find a request in logs by its id.
  const requestId = response?.headers.get('x-amz-apigw-id') ?? 'unknown';
  hint.append(create('code', request), ` · ${elapsed} · request id `, create('code', requestId));
  element('lastAnswer').replaceChildren(line, hint);
}

/** An error's code, as a link to the row of the guide that explains it, if there is one. */
function linkedCode(code: string): HTMLElement {
  const cells = [...document.querySelectorAll('main td > code:only-child')];
  const row = cells.find(({ textContent }) => textContent === code)?.closest('tr');
  if (!row) return create('code', code);
  row.id = `errorCode-${code}`;
  const link = create('a', '', { href: `#${row.id}` });
  link.append(create('code', code));
  return link;
}
