import createClient, { type Client } from 'openapi-fetch';
import { type BackOffSettings, withBackOff } from './back-off.ts';
import { type Fetch, withPace } from './pace.ts';
import type { components, paths } from './store-orders-api.generated.ts';

/** `id` and `petId` are bigints, because a number cannot represent every 64-bit integer. */
export type Order = components['schemas']['Order'];

export interface ClientSettings {
  /** The base address, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly backOff?: BackOffSettings;
  /** Whether to wait so as not to be refused, instead of waiting when refused. @default true */
  readonly isPaced?: boolean;
  /** @default the global `fetch` */
  readonly fetch?: Fetch;
}

export interface RequestOptions {
  /** Ends the request, and every wait of it. */
  readonly signal?: AbortSignal;
}

/** An error response of the service, or of another system on the way, whose code is `unknown`. */
export class StoreOrdersError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(body: unknown, { status }: Response) {
    const { code = 'unknown', message = `HTTP status ${status}` } = Object(body);
    super(message);
    this.name = 'StoreOrdersError';
    this.code = code;
    this.status = status;
  }
}

/** A typed client, generated from the contract, that is not refused and retries with backoff. */
export class StoreOrdersClient {
  readonly #client: Client<paths>;
  readonly #untilHeaders: Fetch;

  constructor({
    baseUrl,
    apiKey,
    backOff,
    isPaced = true,
    fetch = globalThis.fetch,
  }: ClientSettings) {
    const paced = isPaced ? withPace(fetch) : fetch;
    this.#untilHeaders = withBackOff(paced, backOff);
    this.#client = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${apiKey}` },
      fetch: withBackOff(async (request) => readWhole(await paced(request)), backOff),
    });
  }

  /** Lists every order. A store of millions should be read with {@link orders} instead. */
  async listOrders(options: RequestOptions = {}): Promise<Order[]> {
    const answer = await this.#client.GET('/store/orders', { parseAs: 'text', ...options });
    if (answer.data === undefined) throw new StoreOrdersError(answer.error, answer.response);
    return parseOrders(answer.data) as Order[];
  }

  /**
   * Lists every order in constant memory, one after the other.
   *
   * @throws TypeError where the list is cut off: discard what came, and begin anew
   */
  async *orders(options: RequestOptions = {}): AsyncGenerator<Order> {
    const fetch = this.#untilHeaders;
    const answer = await this.#client.GET('/store/orders', {
      parseAs: 'stream',
      fetch,
      ...options,
    });
    if (!answer.data) throw new StoreOrdersError(answer.error, answer.response);
    let rest = '';
    for await (const text of answer.data.pipeThrough(new TextDecoderStream())) {
      rest += text;
      let end = 0;
      for (const { 0: order, index } of rest.matchAll(flatObject)) {
        yield parseOrders(order) as Order;
        end = index + order.length;
      }
      rest = rest.slice(end);
    }
    if (rest !== ']' && rest !== '[]') throw new TypeError(cutOff);
  }

  /**
   * Cancels an order. The result is also `already cancelled` if the response to a first attempt was
   * lost and a retry found the order cancelled.
   */
  async cancelOrder(
    orderId: bigint,
    options: RequestOptions = {},
  ): Promise<'cancelled' | 'already cancelled'> {
    const { error, response } = await this.#client.DELETE('/store/orders/{orderId}', {
      params: { path: { orderId } },
      ...options,
    });
    if (response.ok) return 'cancelled';
    if (error?.code === 'order_already_cancelled') return 'already cancelled';
    throw new StoreOrdersError(error, response);
  }
}

const cutOff = 'the list was cut off before its end';
/** An object without others in it; a brace in a text is none. */
const flatObject = /\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}/g;

/** @throws the error of a connection that ends before the body does, so that the request is repeated */
async function readWhole(response: Response): Promise<Response> {
  const text = await response.text();
  if (response.status === 200 && !text.endsWith(']')) throw new TypeError(cutOff);
  return new Response(text || null, response);
}

/** A record rather than a list, because the compiler reports a missing int64 field of the contract. */
const int64Fields: {
  [Field in keyof Order as bigint extends Order[Field] ? Field : never]-?: true;
} = { id: true, petId: true };

/** Reads an int64 from the source text, because `JSON.parse` has rounded its value. */
function parseOrders(text: string): unknown {
  return JSON.parse(text, (name: string, value: unknown, context?: { readonly source: string }) =>
    Object.hasOwn(int64Fields, name) ? BigInt(context!.source) : value,
  );
}
