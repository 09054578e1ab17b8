import createClient, { type Client } from 'openapi-fetch';
import { type BackOffSettings, withBackOff } from './back-off.ts';
import type { components, paths } from './store-orders-api.generated.ts';

/** `id` and `petId` are bigints: they are 64-bit integers, and a number would round them. */
export type Order = components['schemas']['Order'];

export interface ClientSettings {
  /** Such as `http://127.0.0.1:3000/staging/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly backOff?: BackOffSettings;
  /** @default the global one */
  readonly fetch?: (request: Request) => Promise<Response>;
}

/** What the service answered instead of doing as it was asked. */
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

/** A typed client whose types are made from the contract. It backs off by itself. */
export class StoreOrdersClient {
  readonly #client: Client<paths>;

  constructor({ baseUrl, apiKey, backOff, fetch = globalThis.fetch }: ClientSettings) {
    this.#client = createClient<paths>({
      baseUrl,
      headers: { Authorization: `Bearer ${apiKey}` },
      fetch: withBackOff(fetch, backOff),
    });
  }

  /** Every order. For a store of millions, read the response as a stream instead. */
  async listOrders(): Promise<Order[]> {
    const { data, error } = await this.#client.GET('/store/orders', { parseAs: 'text' });
    if (data === undefined) throw new StoreOrdersError(error);
    return parseOrders(data);
  }

  /**
   * Cancels an order. `already cancelled` is also what a repeated request sees when the answer to
   * the first was lost.
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

/** A record, because the compiler misses any that the contract has and this has not. */
const int64Fields: Readonly<Record<Int64Field, true>> = { id: true, petId: true };

type Reviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;

/** The digits are still in the text when JSON.parse has rounded them away. */
const keepInt64: Reviver = (key, value, { source }) =>
  Object.hasOwn(int64Fields, key) ? BigInt(source) : value;

function parseOrders(text: string): Order[] {
  return JSON.parse(text, keepInt64 as (key: string, value: unknown) => unknown);
}
