import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** A call of DynamoDB's API that may go through. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A DynamoDB-compatible server, over connections that are kept. */
export interface Upstream {
  /** Sends a call, which emits `response` or `error`. @param signal breaks it off */
  send(call: Call, signal?: AbortSignal): ClientRequest;
  /** Where it is, without a user or password. */
  readonly shownAddress: string;
  close(): void;
}

// What belongs to one connection, or tells apart whose call it is: DynamoDB Local keeps the tables
// of each access key apart, and here they belong to all.
const ownHeaders = ['authorization', 'connection', 'content-length', 'host', 'keep-alive'];
const sameForAll =
  'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, ' +
  `SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;

/** @param endpoint a URL; its user and password, if any, are sent as basic authentication */
export function connectUpstream(endpoint: string): Upstream {
  const url = new URL(endpoint);
  const isEncrypted = url.protocol === 'https:';
  const settings = { keepAlive: true };
  const agent = isEncrypted ? new HttpsAgent(settings) : new HttpAgent(settings);
  const request = isEncrypted ? httpsRequest : httpRequest;
  return {
    send: ({ headers, body }, signal) =>
      request(url, {
        agent,
        method: 'POST',
        headers: headersFor(url, headers, body),
        signal,
      }).end(body),
    shownAddress: withoutPassword(endpoint),
    close: () => agent.destroy(),
  };
}

/** An endpoint's address as it may be printed. */
export function withoutPassword(endpoint: string): string {
  return endpoint.replace(/^(\w+:\/\/)?.*@/s, '$1…@');
}

/** The headers of an answer that a client of this run needs. */
export function answerHeaders({ headers }: IncomingMessage): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:content-|x-amz)/.test(name)),
  );
}

function headersFor({ username }: URL, headers: IncomingHttpHeaders, body: Buffer) {
  const others = Object.entries(headers).filter(([name]) => !ownHeaders.includes(name));
  return {
    ...Object.fromEntries(others),
    'content-length': body.length,
    // Node makes a header of the URL's user by itself.
    ...(username === '' && { authorization: sameForAll }),
  };
}
