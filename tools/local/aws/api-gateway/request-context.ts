import { randomBytes, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { accountId, region } from '../template.ts';
import type { IncomingRequest } from './incoming-request.ts';

/**
 * The variables of one request: `$context` of mappings, and the proxy event's `requestContext`.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-mapping-template-reference.html
 */
export type RequestContext = ReturnType<typeof createRequestContext> & {
  // The gateway's steps add these variables.
  readonly identity: { apiKey?: string; apiKeyId?: string };
  resourceId?: string;
  resourcePath?: string;
  authorizer?: Readonly<Record<string, string>>;
  /** The message of a gateway response, as a JSON string with its quotes. */
  error?: { readonly messageString: string };
};

/** The response to a client. */
export interface GatewayAnswer {
  readonly statusCode: number;
  /** A name may occur more than once. */
  readonly headers: [string, string][];
  readonly body: Buffer | Readable;
}

/** Answers a request that has passed all other steps. @throws GatewayFault */
export type Integration = (
  request: IncomingRequest,
  context: RequestContext,
  /** The parameters as the client sent them, percent-encoded. */
  pathParameters: Readonly<Record<string, string>>,
) => Promise<GatewayAnswer>;

/**
 * Creates the variables that are known before the first step of the gateway.
 *
 * @param api the API and the stage to which the request is made
 */
export function createRequestContext(
  request: IncomingRequest,
  api: Readonly<Record<'apiId' | 'stage' | 'deploymentId', string>>,
) {
  return {
    ...api,
    accountId,
    domainName: `${api.apiId}.execute-api.${region}.amazonaws.com`,
    domainPrefix: api.apiId,
    httpMethod: request.method,
    path: request.path,
    protocol: 'HTTP/1.1',
    requestId: randomUUID(),
    extendedRequestId: `${randomBytes(11).toString('base64url')}=`,
    requestTime: commonLogTime(request.timeMs),
    requestTimeEpoch: request.timeMs,
    identity: {
      sourceIp: request.sourceIp,
      userAgent: request.headers.get('user-agent')?.values.at(-1) ?? null,
    },
  };
}

/** Formats a time as in access logs, such as `09/Apr/2026:12:34:56 +0000`. */
function commonLogTime(timeMs: number): string {
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
