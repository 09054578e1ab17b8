import { showAllowance } from './allowance-view.ts';
import { create, element, numbers } from './elements.ts';
import { OrdersView } from './orders-view.ts';
import { parseOrders } from './shown-order.ts';

/** The body of an error in the contract. */
interface ApiError {
  readonly code: string;
  readonly message: string;
}

/** Lists orders and cancels them with the chosen or typed key, and shows the key's limits. */
export class Console {
  readonly #baseUrl = element('console').dataset.baseUrl!;
  readonly #orders = new OrdersView((orderId) => this.#cancelOrder(orderId));
  readonly #listButton = element('list');
  #isListing = false;

  constructor() {
    this.#listButton.addEventListener('click', () => this.#listOrders().then(showStatus));
    element('cancel-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const orderId = element<HTMLInputElement>('order-id').value.trim();
      this.#cancelOrder(orderId).then(showStatus);
    });
    element('key-field').addEventListener('change', () => this.#changeKey());
    this.#changeKey();
  }

  get #key(): string {
    const field = 'input[name=key]:is([type=password], :checked)';
    return document.querySelector<HTMLInputElement>(field)!.value.trim();
  }

  #changeKey(): void {
    const shown = document.getElementById('key');
    if (shown) shown.textContent = this.#key;
    showAllowance(undefined);
  }

  async #listOrders(): Promise<void> {
    if (this.#isListing) return;
    this.#setListing(true);
    await this.#send('GET', '/store/orders', (text) => {
      const orders = parseOrders(text);
      this.#orders.show(orders);
      const size = `${numbers.format(Math.ceil(text.length / 1_000))} KB of JSON`;
      return `${numbers.format(orders.length)} orders, ${size}`;
    });
    this.#setListing(false);
  }

  /** Shows whether a list is loading. The button stays enabled, so that it keeps the focus. */
  #setListing(isListing: boolean): void {
    this.#isListing = isListing;
    this.#listButton.setAttribute('aria-disabled', String(isListing));
    element('progress').hidden = !isListing;
  }

  async #cancelOrder(orderId: string): Promise<void> {
    const path = `/store/orders/${encodeURIComponent(orderId)}`;
    const says = () =>
      `Order ${orderId} is cancelled. It stays in the list, which does not show an order's state.`;
    const error = await this.#send('DELETE', path, says);
    this.#orders.showOutcome(orderId, error?.code);
  }

  /**
   * Sends a request and shows its answer.
   *
   * @param says what to show for the body of a successful answer; it throws if the body is incomplete
   * @returns the error, if there was one
   */
  async #send(
    method: string,
    path: string,
    says: (text: string) => string,
  ): Promise<ApiError | undefined> {
    const url = new URL(this.#baseUrl + path);
    const startedAt = performance.now();
    let response: Response | undefined;
    let outcome: ApiError | string;
    try {
      const headers = { Authorization: `Bearer ${this.#key}` };
      response = await fetch(url, { method, headers });
      showAllowance(response.headers);
      const text = await response.text();
      outcome = response.ok ? says(text) : errorOf(text);
    } catch (cause) {
      outcome = brokenOff(response, cause as Error);
    }
    const elapsed = `${numbers.format(Math.round(performance.now() - startedAt))} ms`;
    showAnswer(outcome, response, `${method} ${url.pathname}`, elapsed);
    return typeof outcome === 'string' ? undefined : outcome;
  }
}

/** Scrolls the answer to a request of the form into a window that is too low for both. */
function showStatus(): void {
  element('status').scrollIntoView({ block: 'nearest' });
}

/** Reads an error. One that comes from a proxy need not have the form of the contract. */
function errorOf(text: string): ApiError {
  try {
    const { code, message } = JSON.parse(text);
    if (typeof code === 'string') return { code, message: String(message) };
  } catch {
    // A body that is not JSON is shown unchanged.
  }
  return { code: 'not an answer of this API', message: text.slice(0, 200) };
}

/** The error to show for a request whose answer is missing or incomplete. */
function brokenOff(response: Response | undefined, { message }: Error): ApiError {
  const unreadable = "the stage cannot be reached, or does not allow this page's origin (CORS)";
  const reason = response === undefined ? `${message}: ${unreadable}` : message;
  return { code: 'no complete answer', message: reason };
}

/** Shows the status of an answer, what it says, and the request that it belongs to. */
function showAnswer(
  outcome: ApiError | string,
  response: Response | undefined,
  request: string,
  elapsed: string,
): void {
  const isGood = typeof outcome === 'string';
  const line = create('p');
  const status = String(response?.status ?? '–');
  line.append(
    create('span', status, { class: 'badge', 'data-kind': isGood ? 'good' : 'bad' }),
    ' ',
  );
  if (isGood) line.append(outcome);
  else line.append(linkedCode(outcome.code), ' ', outcome.message);
  const hint = create('p', '', { class: 'hint' });
  // Operators find a request in logs by its id.
  const requestId = response?.headers.get('x-amz-apigw-id') ?? 'unknown';
  hint.append(create('code', request), ` · ${elapsed} · request id `, create('code', requestId));
  element('status').replaceChildren(line, hint);
}

/** An error's code, as a link to the row that says what to do about it, if there is one. */
function linkedCode(code: string): HTMLElement {
  const id = `error-${code}`;
  const shown = document.getElementById(id) ? create('a', '', { href: `#${id}` }) : create('span');
  shown.append(create('code', code));
  return shown;
}
