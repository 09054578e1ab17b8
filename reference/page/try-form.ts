import { answerItem, brokenOff } from '../browser/answer-view.ts';
import type { ApiClient, Exchange } from '../browser/api-client.ts';
import { create } from '../browser/elements.ts';
import { previewList } from '../browser/list-preview.ts';
import { indentJson } from '../browser/shown-order.ts';

const shownOrders = 100;
const numbers = new Intl.NumberFormat('en');

/** The form of an operation in the reference, which sends a request and shows the answer. */
export class TryForm {
  readonly #form: HTMLFormElement;
  readonly #client: ApiClient;
  readonly #answer: HTMLElement;
  readonly #details: HTMLElement;
  #isBusy = false;

  constructor(form: HTMLFormElement, client: ApiClient) {
    this.#form = form;
    this.#client = client;
    this.#answer = form.querySelector('.answer')!;
    this.#details = form.querySelector('.answer-details')!;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!this.#isBusy) this.#send();
    });
  }

  async #send(): Promise<void> {
    const exchange = this.#client.exchange(this.#form.dataset.method!, this.#path());
    this.#isBusy = true;
    this.#details.hidden = true;
    this.#answer.replaceChildren(create('p', 'Waiting for the answer …', { class: 'hint' }));
    try {
      const error = await this.#client.send(exchange);
      const { text, note } = await readBody(exchange.response!);
      this.#answer.replaceChildren(answerItem(exchange, error, note));
      this.#showDetails(exchange, text);
    } catch (error) {
      this.#answer.replaceChildren(answerItem(exchange, brokenOff(error)));
    } finally {
      this.#isBusy = false;
    }
  }

  #path(): string {
    return this.#form.dataset.path!.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const field = this.#form.elements.namedItem(name) as HTMLInputElement;
      return encodeURIComponent(field.value.trim());
    });
  }

  #showDetails({ response }: Exchange, body: string): void {
    const headers = [...response!.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    this.#details.replaceChildren(...folded('Headers', headers, false));
    if (body !== '') this.#details.append(...folded('Body', body, true));
    this.#details.hidden = false;
  }
}

interface ShownBody {
  readonly text: string;
  readonly note: string;
}

/** Reads a body. Only the start of a list of orders is shown. */
async function readBody(response: Response): Promise<ShownBody> {
  if (response.status !== 200) return { text: indentJson(await response.text()), note: 'No body.' };
  const { first, orders } = await previewList(response.body!, { kept: shownOrders });
  const note =
    orders > first.length
      ? `The first ${first.length} of ${numbers.format(orders)} orders.`
      : `${orders} orders.`;
  return { text: indentJson(`[${first.join(',')}]`), note };
}

function folded(title: string, text: string, isOpen: boolean): HTMLElement[] {
  const details = create('details');
  details.open = isOpen;
  const scroll = create('div', '', {
    class: 'scroll',
    tabindex: '0',
    role: 'region',
    'aria-label': title,
  });
  const pre = create('pre');
  pre.append(create('code', text));
  scroll.append(pre);
  details.append(create('summary', title), scroll);
  return [details];
}
