/** A request with its answer. */
export class Exchange {
  readonly method: string;
  readonly url: URL;
  response: Response | undefined;
  readonly #startedAt = performance.now();

  constructor(method: string, url: URL) {
    this.method = method;
    this.url = url;
  }

  /** The method and path, such as `GET /staging/v1/store/orders`. */
  get line(): string {
    return `${this.method} ${this.url.pathname}`;
  }

  /** The request id, by which operators find the request in logs; undefined without an answer. */
  get requestId(): string | undefined {
    return this.response?.headers.get('x-amzn-RequestId') ?? undefined;
  }

  /** Milliseconds since the request was sent. */
  get elapsedMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

/** The body of an error in the contract. */
export interface ApiError {
  readonly code: string;
  readonly message: string;
}

type AnswerListener = (exchange: Exchange, error: ApiError | undefined) => void;

/** Sends the page's requests with the key that was chosen or entered. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #listeners: AnswerListener[] = [];
  key = '';

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Adds a listener that is called when the headers of an answer have been received. */
  onAnswer(listener: AnswerListener): void {
    this.#listeners.push(listener);
  }

  /** Prepares a request. @param path the path in the contract, such as `/store/orders` */
  exchange(method: string, path: string): Exchange {
    return new Exchange(method, new URL(this.#baseUrl + path));
  }

  /** Sends a request. @returns the error, if the answer is one. @throws the error of `fetch` */
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

/** Reads an error. One that comes from a proxy need not have the form of the contract. */
async function readError(response: Response): Promise<ApiError> {
  const text = await response.text();
  try {
    const { code, message } = JSON.parse(text);
    if (typeof code === 'string') return { code, message: String(message) };
  } catch {
    // A body that is not JSON is shown unchanged.
  }
  return { code: 'not an answer of this API', message: text.slice(0, 200) };
}
