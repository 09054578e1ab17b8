import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { localRegion } from './local-client.ts';

/** A DynamoDB call that may be forwarded. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A DynamoDB-compatible server, with connections that are reused. */
export interface Upstream {
  /** Sends a call. The request emits `response` or `error`. */
  send(call: Call): ClientRequest;
  /** The address without user and password, for messages. */
  readonly shownAddress: string;
  close(): void;
}

// Headers that are not forwarded. They belong to one connection or identify the caller; DynamoDB
// Local gives each access key its own tables, but here all callers share them.
const withheldHeaders = ['authorization', 'connection', 'host', 'keep-alive'];
const sharedAuthorization =
  `AWS4-HMAC-SHA256 Credential=local/20260101/${localRegion}/dynamodb/aws4_request, ` +
  `SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`;

/**
 * Creates an upstream. Connections are opened on demand.
 *
 * @param endpoint a URL; its user and password, if any, are sent as basic authentication
 */
export function connectUpstream(endpoint: string): Upstream {
  const url = new URL(endpoint);
  const isEncrypted = url.protocol === 'https:';
  const settings = { keepAlive: true };
  const agent = isEncrypted ? new HttpsAgent(settings) : new HttpAgent(settings);
  const request = isEncrypted ? httpsRequest : httpRequest;
  return {
    send: ({ headers, body }) =>
      request(url, { agent, method: 'POST', headers: headersFor(url, headers, body) }).end(body),
    shownAddress: withoutPassword(endpoint),
    close: () => agent.destroy(),
  };
}

/** Replaces the user and password of an endpoint, so that it can be printed. */
export function withoutPassword(endpoint: string): string {
  return endpoint.replace(/^(\w+:\/\/)?.*@/s, '$1…@');
}

/** The headers of a response that are forwarded to the caller. */
export function answerHeaders({ headers }: IncomingMessage): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^(?:content-|x-amz)/.test(name)),
  );
}

function headersFor({ username }: URL, headers: IncomingHttpHeaders, body: Buffer) {
  const others = Object.entries(headers).filter(([name]) => !withheldHeaders.includes(name));
  return {
    ...Object.fromEntries(others),
    'content-length': body.length,
    // If the URL has a user, Node sets the header itself.
    ...(username === '' && { authorization: sharedAuthorization }),
  };
}
