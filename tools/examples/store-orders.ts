/*
 * A client of the Store Orders API. It is one file without dependencies: copy it into your project. It
 * runs on Node 20 and later, Deno, Bun, and in browsers where the stage allows the page's origin.
 *
 * The client sends one request at a time and waits for as long as the service asks, which is hours if the
 * day's limit is used up. An `AbortSignal` limits the wait, such as `AbortSignal.timeout(600_000)`.
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
  /**
   * The code of the service's error; `unknown` for the error of another system, such as a proxy;
   * `no_response`; or `incomplete_list`.
   */
  readonly code: string;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The id to quote when you report a problem. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, response?: Response, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.status = response?.status ?? 0;
    this.requestId = response?.headers.get('x-amz-apigw-id') ?? undefined;
    // A proxy may send a date, which is ignored.
    const retryAfter = /^\d+$/.exec(response?.headers.get('Retry-After') ?? '');
    this.retryAfterSeconds = retryAfter ? Number(retryAfter[0]) : undefined;
  }
}

const maxAttempts = 5;
/** How long to wait for the first byte of a response, and for each further one. */
const timeoutMs = 30_000;
/** How many requests of each window are left for other processes that use the same key. */
const reserve = 2;

export class StoreOrders {
  readonly #baseUrl: string;
  readonly #apiKey: string;
  /** Settles when the last request has been answered. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** The time before which the next request would use up the limits. */
  #resumeAtMs = 0;

  /** @param baseUrl such as `http://127.0.0.1:3000/staging/v1` */
  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey.trim();
    // `fetch` would put such a key into its error.
    if (/[^\w-]/.test(this.#apiKey)) throw new Error('The API key is malformed.');
  }

  /**
   * Lists all orders in constant memory. A list that is cut off before its first order is requested again.
   *
   * @throws StoreOrdersError `incomplete_list`: discard the orders, and list them again
   */
  async *orders(signal?: AbortSignal): AsyncGenerator<Order, void, undefined> {
    let order: Order | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        for await (order of this.#list(signal)) yield order;
        return;
      } catch (error) {
        if (order) throw error;
        await backOff(error, attempt, signal);
      }
    }
  }

  /**
   * Cancels a pending order. The result is `already cancelled` if the response to an earlier attempt was
   * lost. @throws StoreOrdersError such as `order_already_shipped`
   */
  async cancelOrder(id: bigint, signal?: AbortSignal): Promise<'cancelled' | 'already cancelled'> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#send('DELETE', `/store/orders/${id}`, signal);
        return 'cancelled';
      } catch (error) {
        if (Object(error).code === 'order_already_cancelled') return 'already cancelled';
        await backOff(error, attempt, signal);
      }
    }
  }

  async *#list(signal: AbortSignal | undefined): AsyncGenerator<Order, void, undefined> {
    const response = await this.#send('GET', '/store/orders', signal);
    try {
      yield* ordersIn(textOf(response, signal));
    } catch (error) {
      signal?.throwIfAborted();
      const message = `Discard the orders of this list, and list them again: ${error}`;
      throw new StoreOrdersError('incomplete_list', message, response, error);
    }
  }

  /** Sends a request when the one before it has been answered. @throws StoreOrdersError for an error */
  async #send(method: string, path: string, signal: AbortSignal | undefined): Promise<Response> {
    const answer = this.#lastTurn.then(() => this.#sendNow(method, path, signal));
    this.#lastTurn = answer.catch(() => {});
    const response = await settled(answer, signal);
    // A proxy may send a page with another status.
    if (response.status === (method === 'GET' ? 200 : 204)) return response;
    throw await errorOf(response, signal);
  }

  async #sendNow(method: string, path: string, signal: AbortSignal | undefined): Promise<Response> {
    signal?.throwIfAborted();
    const waitMs = this.#resumeAtMs - Date.now();
    if (waitMs > 0) await sleep(waitMs, signal);
    const headers = { Authorization: `Bearer ${this.#apiKey}` };
    const connection = new AbortController();
    try {
      const answer = fetch(this.#baseUrl + path, { method, headers, signal: connection.signal });
      const response = await settled(answer, signal, timeoutMs);
      // Such as `"minute";r=59;t=34, "day";r=999;t=40000`: requests left, seconds until the reset.
      const windows = response.headers.get('RateLimit') ?? '';
      for (const [, remaining, seconds] of windows.matchAll(/;r=(\d+);t=(\d+)/g)) {
        const resetAtMs = Date.now() + 1_000 * Number(seconds);
        if (Number(remaining) <= reserve) this.#resumeAtMs = Math.max(this.#resumeAtMs, resetAtMs);
      }
      return response;
    } catch (error) {
      connection.abort();
      // `fetch` puts the reason for a failed connection into `cause`.
      const { cause = error } = Object(error);
      throw new StoreOrdersError('no_response', `No response: ${cause}`, undefined, error);
    }
  }
}

async function* textOf({ body }: Response, signal: AbortSignal | undefined) {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { value } = await settled(reader.read(), signal, timeoutMs);
      if (!value) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function errorOf(response: Response, signal: AbortSignal | undefined) {
  let text = '';
  let body: { code?: unknown; message?: unknown } = {};
  try {
    for await (const part of textOf(response, signal)) text += part;
    body = Object(JSON.parse(text));
  } catch {
    // The body is not the service's error, but perhaps the page of a proxy, or it was cut off.
  }
  const { code = 'unknown', message = `HTTP status ${response.status}` } = body;
  return new StoreOrdersError(String(code), String(message), response);
}

/** Waits before the next attempt. @throws the error, if there is to be none */
async function backOff(error: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
  if (!(error instanceof StoreOrdersError) || attempt === maxAttempts) throw error;
  const { status, retryAfterSeconds } = error;
  if (status >= 400 && status < 500 && status !== 429) throw error;
  // A random pause separates clients that failed together.
  const pauseMs = Math.random() * Math.min(20_000, 250 * 2 ** (attempt - 1));
  await sleep(retryAfterSeconds === undefined ? pauseMs : 1_000 * retryAfterSeconds, signal);
}

/** A string, which may contain braces and of which the end may be missing, or a brace. */
const stringOrBrace = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}]/g;

/** Parses an array of objects while its text arrives. @throws Error if the text is not a whole array */
async function* ordersIn(texts: AsyncIterable<string>): AsyncGenerator<Order, void, undefined> {
  /** The text behind the last whole order. */
  let rest = '';
  let separator = '[';
  for await (const text of texts) {
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
}

/** A string, which may contain digits, or an integer. */
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
