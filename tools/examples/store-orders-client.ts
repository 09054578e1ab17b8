import createClient, { type Client } from 'openapi-fetch';
import { type BackOffSettings, withBackOff } from './back-off.ts';
import type { components, paths } from './store-orders-api.generated.ts';

/** `id` and `petId` are bigints, because a number cannot represent every 64-bit integer. */
export type Order = components['schemas']['Order'];

export interface ClientSettings {
  /** The base address, such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly backOff?: BackOffSettings;
  /** @default the global `fetch` */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** An error response of the service. */
export class StoreOrdersError extends Error {
  readonly code: string;
  readonly status: number;

  constructor({ code, message, status }: components['schemas']['Error']) {
    super(message);
    this.name = 'StoreOrdersError';
    this.code = code;
    this.status = status;
  }
}

/** A typed client, generated from the contract, that retries with backoff. */
export class StoreOrdersClient {
  readonly #client: Client<paths>;

  constructor({ baseUrl, apiKey, backOff, fetch = globalThis.fetch }: ClientSettings) {
    this.#client = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${apiKey}` },
      fetch: withBackOff(fetch, backOff),
    });
  }

  /** Lists every order. A store of millions should be read as a stream instead. */
  async listOrders(): Promise<Order[]> {
    const { data, error } = await this.#client.GET('/store/orders', { parseAs: 'text' });
    if (data === undefined) throw new StoreOrdersError(error);
    return parseOrders(data);
  }

  /**
   * Cancels an order. The result is also `already cancelled` if the response to a first attempt was
   * lost and a retry found the order cancelled.
   */
  async cancelOrder(orderId: bigint): Promise<'cancelled' | 'already cancelled'> {
    const { error } = await this.#client.DELETE('/store/orders/{orderId}', {
      params: { path: { orderId } },
    });
    if (error === undefined) return 'cancelled';
    if (error.code === 'order_already_cancelled') return 'already cancelled';
    throw new StoreOrdersError(error);
  }
}

type Int64Field = {
  [Field in keyof Order]-?: NonNullable<Order[Field]> extends bigint ? Field : never;
}[keyof Order];

/** A record rather than a list, because the compiler reports a missing int64 field of the contract. */
const int64Fields: Readonly<Record<Int64Field, true>> = { id: true, petId: true };

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

/** Reads an int64 from the source text, because `JSON.parse` has rounded its value. */
const keepInt64: Reviver = (key, value, { source }) =>
  Object.hasOwn(int64Fields, key) ? BigInt(source) : value;

function parseOrders(text: string): Order[] {
  return JSON.parse(text, keepInt64 as (key: string, value: unknown) => unknown);
}
