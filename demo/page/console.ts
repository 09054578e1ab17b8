import { type Allowance, allowanceOf } from './allowance.ts';
import { create, element } from './elements.ts';
import { type ListPreview, previewList } from './list-preview.ts';
import { OrdersView } from './orders-view.ts';
import type { DemoKey, PageSettings } from './page-settings.ts';

const shownOrders = 100;
const numbers = new Intl.NumberFormat('en');

export interface ConsoleEvents {
  readonly onAllowance: (allowance: Allowance) => void;
}

/** The buttons at the top of the page: list the orders, cancel one. */
export class Console {
  readonly #basePath: string;
  readonly #events: ConsoleEvents;
  readonly #orders = new OrdersView((orderId) => this.#cancelOrder(orderId));
  readonly #listButton = element<HTMLButtonElement>('list');
  readonly #stopButton = element<HTMLButtonElement>('stop');
  readonly #status = element('status');
  #key = '';

  constructor({ basePath }: PageSettings, events: ConsoleEvents) {
    this.#basePath = basePath;
    this.#events = events;
    this.#listButton.addEventListener('click', () => this.#listOrders());
    element('cancel-form').addEventListener('submit', (event) => {
      event.preventDefault();
      const orderId = element<HTMLInputElement>('order-id').value.trim();
      if (orderId === '') element('order-id').focus();
      else this.#cancelOrder(orderId);
    });
    element('copy-curl').addEventListener('click', () => this.#copyCurl());
  }

  use({ key }: DemoKey): void {
    this.#key = key;
    element('key').textContent = key;
  }

  async #listOrders(): Promise<void> {
    const abort = new AbortController();
    const stop = () => abort.abort();
    this.#listButton.disabled = true;
    this.#stopButton.hidden = false;
    this.#stopButton.addEventListener('click', stop, { once: true });
    try {
      await this.#showList(abort.signal);
    } catch (error) {
      this.#say('bad', '–', abort.signal.aborted ? 'Stopped.' : brokenOff(error));
    } finally {
      this.#stopButton.removeEventListener('click', stop);
      this.#stopButton.hidden = true;
      this.#listButton.disabled = false;
    }
  }

  async #showList(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const response = await this.#send('GET', '/store/orders', signal);
    if (!response.ok || response.body === null) {
      await this.#sayError(response);
      return;
    }
    const onProgress = throttled((preview: ListPreview) =>
      this.#say('busy', '…', `Receiving: ${sizeOf(preview)}`),
    );
    const preview = await previewList(response.body, { kept: shownOrders, onProgress });
    this.#orders.show(preview);
    const elapsedMs = Math.round(performance.now() - startedAt);
    this.#say(
      'good',
      '200',
      `GET /store/orders: ${sizeOf(preview)} in ${numbers.format(elapsedMs)} ms`,
    );
  }

  async #cancelOrder(orderId: string): Promise<void> {
    try {
      const path = `/store/orders/${encodeURIComponent(orderId)}`;
      const response = await this.#send('DELETE', path);
      if (response.status !== 204) {
        const { code } = await this.#sayError(response);
        this.#orders.mark(orderId, false, code);
      } else {
        this.#say('good', '204', `DELETE ${path}: order ${orderId} is cancelled`);
        this.#orders.mark(orderId, true, 'cancelled');
      }
    } catch (error) {
      this.#say('bad', '–', brokenOff(error));
    }
  }

  async #send(method: string, path: string, signal?: AbortSignal): Promise<Response> {
    this.#say('busy', '…', `${method} ${path}`);
    const headers = { Authorization: `Bearer ${this.#key}` };
    const response = await fetch(this.#basePath + path, { method, headers, signal });
    const allowance = allowanceOf(response.headers);
    if (allowance !== undefined) this.#events.onAllowance(allowance);
    return response;
  }

  async #sayError(response: Response): Promise<{ code: string }> {
    const { code, message } = await response.json();
    this.#say('bad', String(response.status), `${code}: ${message}`);
    return { code };
  }

  #say(kind: 'good' | 'bad' | 'busy', badge: string, text: string): void {
    this.#status.replaceChildren(
      create('span', badge, { class: 'badge', 'data-kind': kind }),
      text,
    );
  }

  async #copyCurl(): Promise<void> {
    const url = location.origin + this.#basePath;
    await navigator.clipboard.writeText(
      `curl -i -H 'Authorization: Bearer ${this.#key}' '${url}/store/orders'`,
    );
    this.#say('good', '✓', 'Copied.');
  }
}

function sizeOf({ orders, bytes }: ListPreview): string {
  const kilobytes = Math.ceil(bytes / 1_000);
  return `${numbers.format(orders)} orders, ${numbers.format(kilobytes)} KB of JSON`;
}

function brokenOff(error: unknown): string {
  return `No complete answer: ${(error as Error).message}`;
}

/** At most ten calls a second: a million orders come in thousands of pieces. */
function throttled<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  let calledAt = 0;
  return (...args) => {
    const now = performance.now();
    if (now - calledAt < 100) return;
    calledAt = now;
    call(...args);
  };
}
