import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

/** A response as it came over the wire: nothing decoded, nothing joined, nothing followed. */
export interface Answer {
  readonly status: number;
  /** Values by lower-case header name; a header that was sent twice has two. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body's bytes as sent, that is, still compressed where `Content-Encoding` says so. */
  readonly body: IncomingMessage;
}

export interface TextAnswer extends Answer {
  readonly text: string;
}

export interface Question {
  readonly method: string;
  /** Path and query below the base URL, sent as it is. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends requests exactly as they are written. `fetch` would normalise paths, decode bodies and
 * refuse some headers, and all of these are what has to be looked at.
 */
export class HttpClient {
  readonly baseUrl: URL;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;

  constructor(baseUrl: URL, timeoutMs: number) {
    this.baseUrl = baseUrl;
    this.#timeoutMs = timeoutMs;
    this.#agent =
      baseUrl.protocol === 'https:'
        ? new HttpsAgent({ keepAlive: true })
        : new HttpAgent({ keepAlive: true });
  }

  /** Rejects where there is no response: unreachable, broken off, or silent for the timeout. */
  send(question: Question): Promise<Answer> {
    const send = this.baseUrl.protocol === 'https:' ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const request = send({
        hostname: this.baseUrl.hostname.replace(/^\[|\]$/g, ''),
        port: this.baseUrl.port,
        path: this.baseUrl.pathname + question.path,
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

  async sendForText(question: Question): Promise<TextAnswer> {
    const answer = await this.send(question);
    return { ...answer, text: await readText(answer.body) };
  }

  close(): void {
    this.#agent.destroy();
  }
}

// An error answer is a few hundred bytes; whatever sends more is not the service.
const longestTextBytes = 1_000_000;

async function readText(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > longestTextBytes) throw new Error('the body is longer than 1,000,000 bytes');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

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
