import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import type { ComparedAnswer } from '../../../test/contract/contract.ts';

/** A response as it was received: headers not joined, redirects not followed, and the body decompressed. */
export interface Answer extends ComparedAnswer {
  readonly question: OutgoingRequest;
  readonly text: string;
}

/** What a request asks for. */
export interface Route {
  /** The id of an operation, or the name of other responses of the contract, with which the response is compared. */
  readonly name: string;
  readonly method: string;
  /** The path and query below the base URL, which are sent without normalization. */
  readonly path: string;
}

interface OutgoingRequest extends Route {
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
  // HTTPS goes through the proxy of the environment, if there is one. A local run has no TLS, so it needs no agent.
  const [open, agent] =
    base.protocol === 'https:'
      ? [https.request, new https.Agent({ keepAlive: true, proxyEnv: process.env })]
      : [http.request, undefined];
  return async (question) => {
    const { method, body } = question;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const headers = { ...question.headers, ...length };
    const path = base.pathname + question.path;
    const request = open(base, { path, method, headers, agent, timeout: timeoutMs });
    request.on('timeout', () =>
      request.destroy(new Error(`no answer within ${timeoutMs / 1_000} seconds`)),
    );
    // An error after the head of the response is ignored here, because reading the body throws it, too.
    request.on('error', () => {});
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const bytes = await buffer(response);
    // No check asks for another coding than zstd.
    const isCompressed = 'content-encoding' in response.headers;
    const decoder = new TextDecoder('utf-8', { fatal: true });
    return {
      question,
      status: response.statusCode!,
      headers: new Map(Object.entries(response.headersDistinct) as [string, string[]][]),
      text: decoder.decode(isCompressed ? zstdDecompressSync(bytes) : bytes),
    };
  };
}

/** The value of a header, all values if it was sent several times; undefined if it was not sent. */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  return headers.get(name)?.join();
}

/** The numbers in a header; none if it was not sent. */
export function numbersOf(answer: Answer, name: string): number[] {
  return (headerOf(answer, name) ?? '').match(/\d+/g)?.map(Number) ?? [];
}

/** The three headers about the window with the fewest requests left; NaN for a header that is missing or not a number. */
export function rateLimitOf(answer: Answer) {
  const value = (name: string) => Number(headerOf(answer, `x-ratelimit-${name}`));
  return { limit: value('limit'), remaining: value('remaining'), reset: value('reset') };
}
