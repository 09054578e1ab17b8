import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** A response as it was received: not decompressed, headers not joined, redirects not followed. */
export interface Answer {
  readonly question: OutgoingRequest;
  /** The time from the request to the head of the response. */
  readonly durationMs: number;
  readonly status: number;
  /** The values by lower-case header name. A header that was sent twice has two values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body as it was sent, that is, compressed if there is a `Content-Encoding`. */
  readonly body: Readable;
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
 * Fewer than the 511 connections that can wait for Node's server to accept them, because tests send
 * thousands of requests at once. The kernel repeats further connections only after seconds to minutes.
 */
const mostConnections = 500;

/** Sends a request. Rejects when the stage is unreachable, disconnects or is silent too long. */
export type Send = (question: OutgoingRequest) => Promise<Answer>;

/**
 * Sends requests without changing them. `fetch` would normalize paths, decompress bodies and refuse
 * some headers, all of which the checks depend on.
 */
export function senderTo({ protocol, hostname, port, pathname }: URL, timeoutMs: number): Send {
  const { request: open, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: mostConnections });
  return (question) => {
    const { method, path, headers, body } = question;
    const startedAtMs = performance.now();
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const request = open({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: pathname + path,
        method,
        headers: { ...headers, ...length },
        agent,
        timeout: timeoutMs,
      });
      request.on('timeout', () =>
        request.destroy(new Error(`no answer within ${timeoutMs / 1_000} seconds`)),
      );
      request.on('error', reject);
      request.on('response', (response) => {
        const values = Object.entries(response.headersDistinct) as [string, string[]][];
        resolve({
          question,
          durationMs: performance.now() - startedAtMs,
          status: response.statusCode!,
          headers: new Map(values),
          body: response,
        });
      });
      request.end(body);
    });
  };
}

/** Reads the body of an answer. */
export async function readText(answer: Answer): Promise<TextAnswer> {
  return { ...answer, text: await text(answer.body) };
}
