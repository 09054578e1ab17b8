import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';

/** A response as it was received: headers not joined, redirects not followed. */
export interface Answer {
  readonly question: OutgoingRequest;
  readonly status: number;
  /** The values by lower-case header name. A header that was sent twice has two values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body, decompressed if it has a `Content-Encoding`. */
  readonly text: string;
}

export interface OutgoingRequest {
  readonly method: string;
  /** The path and query below the base URL, which are sent without normalization. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request. Rejects if the stage is unreachable, disconnects or stays silent, or its body is not UTF-8. */
export type Send = (question: OutgoingRequest) => Promise<Answer>;

/**
 * Sends requests unchanged. `fetch` is not used, because it would normalize or refuse paths and headers on which the
 * checks depend.
 */
export function senderTo(base: URL, timeoutMs: number): Send {
  const { request: open } = base.protocol === 'https:' ? https : http;
  // HTTPS goes through the proxy of the environment, if there is one. A local run has no TLS, so it needs no agent.
  const agent = new https.Agent({ keepAlive: true, proxyEnv: process.env });
  return async (question) => {
    const { method, path, headers, body } = question;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const request = open(base, {
      path: base.pathname + path,
      method,
      headers: { ...headers, ...length },
      timeout: timeoutMs,
      ...(base.protocol === 'https:' && { agent }),
    });
    request.on('timeout', () =>
      request.destroy(new Error(`no answer within ${timeoutMs / 1_000} seconds`)),
    );
    // An error after the head of the response is ignored here, because reading the body throws it, too.
    request.on('error', () => {});
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return {
      question,
      status: response.statusCode!,
      headers: new Map(Object.entries(response.headersDistinct) as [string, string[]][]),
      text: await textOf(response),
    };
  };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const bytes = await buffer(response);
  const coding = response.headers['content-encoding'];
  const decompress = coding === 'gzip' ? gunzipSync : zstdDecompressSync;
  return new TextDecoder('utf-8', { fatal: true }).decode(coding ? decompress(bytes) : bytes);
}
