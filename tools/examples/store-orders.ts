/*
 * A client of the Store Orders API. It is one file without dependencies: copy it into your project. It runs on Node 20
 * and later, Deno, Bun, and in browsers if the stage allows the page's origin. It sends one request at a time. It waits
 * as long as the service asks, perhaps for hours. An `AbortSignal` limits the wait.
 */

/** An order. Integers are bigints, because a number loses digits beyond 2^53. */
export interface Order {
  id: bigint;
  petId?: bigint;
  quantity?: bigint;
  /** A date and time in the format of ISO 8601. */
  shipDate?: string;
  complete?: boolean;
}

/** A request failed. */
export class StoreOrdersError extends Error {
  override readonly name = 'StoreOrdersError';
  /** The service's code; or `unknown`, for example for a proxy's page; or `no_response` or `incomplete_list`. */
  readonly code: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The id to quote when you report a problem. */
  readonly requestId: string | undefined;

  constructor(code: string, message: string, response?: Response, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.status = response?.status ?? 0;
    this.requestId = response?.headers.get('x-amz-apigw-id') ?? undefined;
  }
}

export interface StoreOrdersOptions {
  /** Whether to send the key to another machine without encryption. @default false */
  readonly allowHttp?: boolean;
  /** @default the global `fetch` */
  readonly fetch?: typeof fetch;
  /** Is called after each attempt, before the client waits for `waitMs`. If there was no response, `status` is 0. */
  readonly onAttempt?: (method: string, path: string, status: number, waitMs: number) => void;
}

const maxAttempts = 5;
/** The longest wait for the first byte of a response, and for each further byte. */
const timeoutMs = 30_000;
/** The number of requests of each window that are left for other processes that use the same key. */
const reserve = 2;

export class StoreOrders {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  readonly #options: StoreOrdersOptions;
  /** Settles when the latest request has been answered. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The time from which the next request may be sent, by the clock of `performance`, which nobody can set. */
  #resumeAtMs = 0;

  /** @param baseUrl such as `http://127.0.0.1:3000/staging/v1` */
  constructor(baseUrl: string, apiKey: string, options: StoreOrdersOptions = {}) {
    const { protocol, hostname, origin, pathname } = new URL(baseUrl);
    const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
    if (protocol !== 'https:' && !isLocal && !options.allowHttp)
      throw new Error(`Others could read the key sent to ${hostname}: use https, or allowHttp.`);
    this.#baseUrl = origin + pathname.replace(/\/+$/, '');
    this.#apiKey = apiKey.trim();
    this.#options = options;
    // Checked here, because the error of `fetch` would contain the malformed key.
    if (/[^\w-]/.test(this.#apiKey)) throw new Error('The API key is malformed.');
  }

  /** Lists all orders in constant memory. @throws StoreOrdersError `incomplete_list`: discard the orders */
  orders(signal?: AbortSignal): AsyncGenerator<Order, void, undefined> {
    return this.#attempts('GET', '/store/orders', signal);
  }

  /**
   * Cancels a pending order. The result is `already cancelled` if the response to an earlier attempt was
   * lost. @throws StoreOrdersError such as `order_already_shipped`, or `insufficient_scope` with a read-only key
   */
  async cancelOrder(id: bigint | number, signal?: AbortSignal) {
    // An unsafe number is refused, because it may have been rounded to the id of another order.
    if (typeof id !== 'bigint' && !Number.isSafeInteger(id))
      throw new TypeError(`The order id ${id} is not exact: pass a bigint, such as 1001n.`);
    try {
      await this.#attempts('DELETE', `/store/orders/${id}`, signal).next();
      return 'cancelled';
    } catch (error) {
      if (Object(error).code === 'order_already_cancelled') return 'already cancelled';
      throw error;
    }
  }

  /** Sends a request up to five times, and yields the orders of a list. */
  async *#attempts(method: string, path: string, signal: AbortSignal | undefined) {
    for (let attempt = 1; ; attempt++) {
      let order: Order | undefined;
      let status = 0;
      let pauseMs = 0;
      try {
        const response = await this.#send(method, path, signal);
        status = response.status;
        if (method === 'GET') for await (order of ordersIn(response, signal)) yield order;
        return;
      } catch (error) {
        if (!(error instanceof StoreOrdersError)) throw error;
        status = error.status;
        const isRefused = status >= 400 && status < 500 && status !== 429;
        if (order || isRefused || attempt === maxAttempts) throw error;
        // A random pause separates clients that failed together.
        pauseMs = Math.random() * 125 * 2 ** attempt;
      } finally {
        const waitMs = Math.max(pauseMs, this.#resumeAtMs - performance.now());
        this.#options.onAttempt?.(method, path, status, waitMs);
      }
      await sleep(pauseMs, signal);
    }
  }

  /** Sends a request when the request before it has been answered. @throws StoreOrdersError for an error */
  async #send(method: string, path: string, signal: AbortSignal | undefined): Promise<Response> {
    const answer = this.#lastTurn.then(() => this.#sendNow(method, path, signal));
    this.#lastTurn = answer.catch(() => {});
    const response = await settled(answer, signal);
    // Only the documented status is a success, because a proxy may send a page with another 2xx.
    if (response.status === (method === 'GET' ? 200 : 204)) return response;
    throw await errorOf(response, signal);
  }

  async #sendNow(method: string, path: string, signal: AbortSignal | undefined): Promise<Response> {
    signal?.throwIfAborted();
    const waitMs = this.#resumeAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs, signal);
    const headers = { Authorization: `Bearer ${this.#apiKey}` };
    const connection = new AbortController();
    const { fetch = globalThis.fetch } = this.#options;
    try {
      const init = { method, headers, redirect: 'error', signal: connection.signal } as const;
      const response = await settled(fetch(this.#baseUrl + path, init), signal, timeoutMs);
      // For example `"minute";r=59;t=34, "day";r=999;t=40000`, with the requests left and the seconds until the reset.
      const windows = response.headers.get('RateLimit') ?? '';
      let seconds = Number(response.headers.get('Retry-After')) || 0;
      for (const [, remaining, reset] of windows.matchAll(/;r=(\d+);t=(\d+)/g))
        if (Number(remaining) <= reserve) seconds = Math.max(seconds, Number(reset));
      this.#resumeAtMs = Math.max(this.#resumeAtMs, performance.now() + 1_000 * seconds);
      return response;
    } catch (error) {
      connection.abort();
      // `fetch` puts the reason for a failed connection into `cause`.
      const { cause = error } = Object(error);
      throw new StoreOrdersError('no_response', `No response: ${cause}`, undefined, error);
    }
  }
}

async function* textOf(response: Response, signal: AbortSignal | undefined) {
  // A replacement of `fetch` may have a stream of Node as its body. `Response` reads both kinds.
  const reader = new Response(response.body).body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader) {
      const { value } = await settled(reader.read(), signal, timeoutMs);
      if (!value) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

async function errorOf(response: Response, signal: AbortSignal | undefined) {
  const { status } = response;
  let code = 'unknown';
  let message = `HTTP status ${status}`;
  try {
    let text = '';
    for await (const part of textOf(response, signal)) text += part;
    const body = Object(JSON.parse(text));
    message = String(body.message ?? message);
    code = String(body.code ?? code);
  } catch {
    // The body is not an error of the service. It may be the page of a proxy, or it may have been cut off.
  }
  return new StoreOrdersError(code, message, response);
}

/** A brace or a string. A string may contain braces, and its end may not have arrived yet. */
const stringOrBrace = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}]/g;

/** Parses an array of objects while its text arrives. @throws StoreOrdersError if it is not a whole array */
async function* ordersIn(response: Response, signal: AbortSignal | undefined) {
  /** The text after the last whole order. */
  let rest = '';
  let separator = '[';
  try {
    for await (const text of textOf(response, signal)) {
      rest += text;
      let end = 0;
      let depth = 0;
      for (const { 0: token, index } of rest.matchAll(stringOrBrace)) {
        if (token === '{' && depth++ === 0 && rest.slice(end, index).trim() !== separator)
          throw new Error('The body is not a list.');
        if (token === '}' && --depth === 0) {
          yield parseExactly(rest.slice(rest.indexOf('{', end), index + 1)) as Order;
          end = index + 1;
          separator = ',';
        }
      }
      rest = rest.slice(end);
    }
    const ending = separator === ',' ? ']' : '[]';
    if (rest.replaceAll(/\s/g, '') !== ending) throw new Error('The body is not a whole list.');
  } catch (error) {
    signal?.throwIfAborted();
    const message = `Discard the orders of this list, and list them again: ${error}`;
    throw new StoreOrdersError('incomplete_list', message, response, error);
  }
}

/** A string or an integer. A string is matched as a whole, because it may contain digits. */
const stringOrInteger = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d+(?![\d.eE])/g;

/** Parses JSON, and every integer as a bigint. `JSON.parse` alone would round integers beyond 2^53. */
function parseExactly(json: string): unknown {
  const marked = json.replaceAll(stringOrInteger, (text) =>
    text.startsWith('"') ? text : `{"$integer":"${text}"}`,
  );
  return JSON.parse(marked, (_, value) => (value?.$integer ? BigInt(value.$integer) : value));
}

/** @throws the signal's reason when it is aborted */
function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return settled(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Settles like `work`. @throws the signal's reason when it is aborted; Error after `limitMs` */
function settled<T>(work: Promise<T>, signal?: AbortSignal, limitMs?: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    const timer = limitMs && setTimeout(reject, limitMs, new Error(`No data for ${limitMs} ms.`));
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    });
  });
}
