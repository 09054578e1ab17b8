/** One request, and what came of it. */
export class Exchange {
  readonly method: string;
  readonly url: URL;
  response: Response | undefined;
  readonly #startedAt = performance.now();

  constructor(method: string, url: URL) {
    this.method = method;
    this.url = url;
  }

  /** Such as `GET /staging/v1/store/orders`. */
  get line(): string {
    return `${this.method} ${this.url.pathname}`;
  }

  /** What the operators of the service find the request by; undefined where no answer came. */
  get requestId(): string | undefined {
    return this.response?.headers.get('x-amzn-RequestId') ?? undefined;
  }

  /** Milliseconds since the request was made. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** What the contract says of every error. */
export interface ApiError {
  readonly code: string;
  readonly message: string;
}

export type AnswerListener = (exchange: Exchange, error: ApiError | undefined) => void;

/** Sends the page's requests with the key that was chosen or entered. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #listeners: AnswerListener[] = [];
  key = '';

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Calls the listener for the head of every answer. */
  onAnswer(listener: AnswerListener): void {
    this.#listeners.push(listener);
  }

  /** @param path in the contract's sense, such as `/store/orders` */
  exchange(method: string, path: string): Exchange {
    return new Exchange(method, new URL(this.#baseUrl + path));
  }

  /** @returns the error, where the answer is one. @throws what `fetch` throws where none comes */
  async send(exchange: Exchange, signal?: AbortSignal): Promise<ApiError | undefined> {
    const headers = { Authorization: `Bearer ${this.key}` };
    const response = await fetch(exchange.url, { method: exchange.method, headers, signal });
    exchange.response = response;
    const error = response.ok ? undefined : await readError(response.clone());
    for (const listener of this.#listeners) listener(exchange, error);
    return error;
  }

  /** A command line that sends the same request, with the key in it. */
  curl(method: string, path: string): string {
    const { url } = this.exchange(method, path);
    const verb = method === 'GET' ? '' : `-X ${method} `;
    return `curl -i ${verb}-H 'Authorization: Bearer ${this.key}' '${url}'`;
  }
}

/** What stands in between, such as a proxy, need not answer in the contract's form. */
async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { code, message } = JSON.parse(text);
    if (typeof code === 'string') return { code, message: String(message) };
  } catch {
    // No JSON: it is shown as it is.
  }
  return { code: 'not an answer of this API', message: text.slice(0, 200) };
}
