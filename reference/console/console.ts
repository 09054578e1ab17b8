import { answerItem, brokenOff } from '../browser/answer-view.ts';
import type { ApiClient, ApiError, Exchange } from '../browser/api-client.ts';
import { copyOnPress } from '../browser/copying.ts';
import { create, element } from '../browser/elements.ts';
import { type ListPreview, previewList } from '../browser/list-preview.ts';
import type { DemoKey } from '../browser/page-settings.ts';
import { allowanceOf } from './allowance.ts';
import { AllowanceView } from './allowance-view.ts';
import { CancellationOffer } from './cancellation-offer.ts';
import { History } from './history.ts';
import { OrdersView } from './orders-view.ts';
import type { SettledOrders } from './settled-orders.ts';

const shownOrders = 100;
const numbers = new Intl.NumberFormat('en');

/** The console for demo keys: it lists orders, cancels them and shows the limits. */
export class Console {
  readonly #client: ApiClient;
  readonly #settled: SettledOrders;
  readonly #orders: OrdersView;
  readonly #allowance = new AllowanceView();
  readonly #history = new History();
  readonly #listButton = element<HTMLButtonElement>('list');
  readonly #stopButton = element<HTMLButtonElement>('stop');
  readonly #offers: readonly CancellationOffer[];
  #listing: AbortController | undefined;

  constructor(client: ApiClient, settled: SettledOrders, exampleOrderId: string) {
    this.#client = client;
    this.#settled = settled;
    this.#orders = new OrdersView(settled, (orderId) => this.#cancelOrder(orderId));
    element<HTMLInputElement>('order-id').value = exampleOrderId;
    this.#offers = [ownOffer(settled), ...formOffers(settled)];
    client.onAnswer((exchange, error) => this.#takeAnswer(exchange, error));
    this.#listen();
  }

  use(demoKey: DemoKey): void {
    this.#client.key = demoKey.key;
    element('key').textContent = demoKey.key;
    this.#allowance.use(demoKey);
  }

  #listen(): void {
    this.#listButton.addEventListener('click', () => this.#listOrders());
    this.#stopButton.addEventListener('click', () => this.#listing?.abort());
    element('cancel-form').addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#typedId === '') element('order-id').focus();
      else this.#cancelOrder(this.#typedId);
    });
    copyOnPress(element('copy-list'), () => this.#client.curl('GET', '/store/orders'));
    copyOnPress(element('copy-cancel'), () =>
      this.#client.curl('DELETE', orderPath(this.#typedId)),
    );
  }

  get #typedId(): string {
    return this.#offers[0]!.orderId;
  }

  async #listOrders(): Promise<void> {
    if (this.#listing !== undefined) return;
    this.#listing = new AbortController();
    const exchange = this.#client.exchange('GET', '/store/orders');
    this.#setListing(true);
    try {
      await this.#showList(exchange, this.#listing.signal);
    } catch (error) {
      const wasStopped = this.#listing.signal.aborted;
      const broken = wasStopped
        ? { code: 'stopped', message: 'You stopped it.' }
        : brokenOff(error);
      this.#history.add(answerItem(exchange, broken));
    } finally {
      this.#setListing(false);
      this.#listing = undefined;
    }
  }

  async #showList(exchange: Exchange, signal: AbortSignal): Promise<void> {
    const error = await this.#client.send(exchange, signal);
    if (error !== undefined) {
      this.#history.add(answerItem(exchange, error));
      return;
    }
    const onProgress = throttled((preview: ListPreview) => {
      element('progress').textContent = `Receiving: ${sizeOf(preview)}`;
    });
    const preview = await previewList(exchange.response!.body!, { kept: shownOrders, onProgress });
    this.#orders.show(preview);
    this.#history.add(answerItem(exchange, undefined, sizeOf(preview)));
  }

  /** Shows whether a list is loading. The button stays enabled, so that it keeps the focus. */
  #setListing(isListing: boolean): void {
    if (!isListing && document.activeElement === this.#stopButton) this.#listButton.focus();
    this.#listButton.setAttribute('aria-disabled', String(isListing));
    this.#stopButton.hidden = !isListing;
    element('progress').hidden = !isListing;
    element('progress').textContent = 'Waiting for the answer …';
  }

  async #cancelOrder(orderId: string): Promise<void> {
    const exchange = this.#client.exchange('DELETE', orderPath(orderId));
    try {
      const error = await this.#client.send(exchange);
      this.#history.add(answerItem(exchange, error, `Order ${orderId} is cancelled.`));
    } catch (error) {
      this.#history.add(answerItem(exchange, brokenOff(error)));
    }
  }

  /** Handles an answer, also one to a form of the reference. */
  #takeAnswer(exchange: Exchange, error: ApiError | undefined): void {
    const headers = exchange.response!.headers;
    const windows = allowanceOf(headers, Date.now());
    const retryAfter = Number(headers.get('Retry-After') ?? 0);
    if (windows !== undefined) this.#allowance.take(windows, error, retryAfter);
    if (exchange.method !== 'DELETE') return;
    const orderId = decodeURIComponent(exchange.url.pathname.split('/').at(-1)!);
    this.#settled.take(orderId, error?.code);
    this.#orders.update(orderId);
    for (const offer of this.#offers) offer.update();
  }
}

function ownOffer(settled: SettledOrders): CancellationOffer {
  const elements = {
    field: element<HTMLInputElement>('order-id'),
    button: element<HTMLButtonElement>('cancel'),
    hint: element('order-hint'),
  };
  return new CancellationOffer(elements, settled);
}

/** The forms of the reference that cancel an order, which also refuse settled orders. */
function formOffers(settled: SettledOrders): CancellationOffer[] {
  return [...document.querySelectorAll('form.try[data-method=DELETE]')].map((form) => {
    const hint = create('p', '', { class: 'hint' });
    form.querySelector('.fields')!.after(hint);
    const [field, button] = [form.querySelector('input')!, form.querySelector('button')!];
    return new CancellationOffer({ field, button, hint }, settled);
  });
}

function orderPath(orderId: string): string {
  return `/store/orders/${encodeURIComponent(orderId)}`;
}

function sizeOf({ orders, bytes }: ListPreview): string {
  const kilobytes = Math.ceil(bytes / 1_000);
  return `${numbers.format(orders)} orders, ${numbers.format(kilobytes)} KB of JSON`;
}

/** Limits a function to ten calls per second, because long lists arrive in thousands of parts. */
function throttled<A extends unknown[]>(call: (...args: A) => void): (...args: A) => void {
  let calledAt = 0;
  return (...args) => {
    const now = performance.now();
    if (now - calledAt < 100) return;
    calledAt = now;
    call(...args);
  };
}
