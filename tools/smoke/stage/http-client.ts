import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

/** A response as it was received: not decompressed, headers not joined, redirects not followed. */
export interface Answer {
  readonly status: number;
  /** The values by lower-case header name. A header that was sent twice has two values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body as it was sent, that is, compressed if there is a `Content-Encoding`. */
  readonly body: IncomingMessage;
}

export interface TextAnswer extends Answer {
  readonly text: string;
}

export interface OutgoingRequest {
  readonly method: string;
  /** The path and query below the base URL, which are sent without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends requests without changing them. `fetch` would normalize paths, decompress bodies and refuse
 * some headers, all of which the checks depend on.
 */
export class HttpClient {
  readonly baseUrl: URL;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;

  constructor(baseUrl: URL, timeoutMs: number) {
    const { Agent } = baseUrl.protocol === 'https:' ? https : http;
    this.baseUrl = baseUrl;
    this.#timeoutMs = timeoutMs;
    this.#agent = new Agent({ keepAlive: true });
  }

  /** Sends a request. Rejects when the stage is unreachable, disconnects or is silent too long. */
  send(question: OutgoingRequest): Promise<Answer> {
    const { protocol, hostname, port, pathname } = this.baseUrl;
    const { request: send } = protocol === 'https:' ? https : http;
    return new Promise((resolve, reject) => {
      const request = send({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: pathname + question.path,
        method: question.method,
        headers: { ...question.headers, ...contentLength(question.body) },
        agent: this.#agent,
        timeout: this.#timeoutMs,
      });
      request.on('timeout', () =>
        request.destroy(new Error(`no answer within ${this.#timeoutMs / 1000} seconds`)),
      );
      request.on('error', reject);
      request.on('response', (body) =>
        resolve({ status: body.statusCode ?? 0, headers: headersOf(body), body }),
      );
      request.end(question.body);
    });
  }

  async sendForText(question: OutgoingRequest): Promise<TextAnswer> {
    const answer = await this.send(question);
    return { ...answer, text: await text(answer.body) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

const http = { Agent: HttpAgent, request: requestHttp };
const https = { Agent: HttpsAgent, request: requestHttps };

function contentLength(body: string | undefined): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

function headersOf(response: IncomingMessage): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i < response.rawHeaders.length; i += 2) {
    const name = response.rawHeaders[i]!.toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), response.rawHeaders[i + 1]!]);
  }
  return headers;
}
