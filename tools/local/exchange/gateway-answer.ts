import type { Readable } from 'node:stream';
import { words } from '../template/known-properties.ts';

/** The response to a client. */
export interface GatewayAnswer {
  readonly statusCode: number;
  /** Names and values; a name may occur more than once. */
  readonly headers: [string, string][];
  /** The whole body, or a stream of it. */
  readonly body: Buffer | Readable;
  /** The authorizer's context for the request; absent when no authorizer was invoked. */
  readonly authorizer?: Readonly<Record<string, unknown>> | undefined;
}

// Headers that an integration cannot set. API Gateway returns their values under other names.
const remapped = words(`
  authorization connection content-length content-md5 date expect host max-forwards
  proxy-authenticate server te trailer transfer-encoding upgrade user-agent via www-authenticate`);

/**
 * The headers of an integration's response as the client gets them: API Gateway renames some to
 * `x-amzn-Remapped-…`, and adds the content type of JSON when there is none.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
export function clientHeaders(headers: readonly [string, string][]): [string, string][] {
  const renamed = headers.map(([name, value]): [string, string] => [
    remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
    value,
  ]);
  const isTyped = renamed.some(([name]) => name.toLowerCase() === 'content-type');
  return isTyped ? renamed : [['Content-Type', 'application/json'], ...renamed];
}
