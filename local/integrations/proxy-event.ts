import { type IncomingRequest, pathBelowStage } from '../exchange/incoming-request.ts';
import type { RequestContext } from '../exchange/request-context.ts';
import { words } from '../template/known-properties.ts';
import { type TraceHeader, traceHeaderName } from './trace-header.ts';

/** The values of a proxy event that are not part of the request. */
interface ProxyEventSource {
  readonly context: RequestContext;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly stageVariables: Readonly<Record<string, string>>;
  /** The API's binary media types, such as `image/*`. */
  readonly binaryMediaTypes: readonly string[];
  readonly trace: TraceHeader;
}

// Headers that API Gateway does not forward to the function.
const withheldHeaders = words(`
  connection content-length content-md5 expect max-forwards proxy-authenticate server te trailer
  transfer-encoding upgrade www-authenticate`);

// API Gateway forwards these headers in this spelling, and all others in the client's.
const ownSpelling = new Map([
  ['authorization', 'Authorization'],
  ['user-agent', 'User-Agent'],
]);

/**
 * The event that a Lambda proxy integration of a REST API sends to its function.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format
 */
export function createProxyEvent(request: IncomingRequest, source: ProxyEventSource): object {
  const { context, pathParameters, stageVariables, binaryMediaTypes, trace } = source;
  const headers = forwardedHeaders(request, trace);
  const contentType = request.headers.get('content-type')?.values.at(-1) ?? '';
  const isBase64Encoded =
    request.body.length > 0 && matchesMediaType(contentType, binaryMediaTypes);
  return {
    resource: context.resourcePath,
    // Unlike the URL of a call to the API's own host name, this field does not contain the stage.
    path: pathBelowStage(request.path, context.stage),
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: nullIfEmpty(lastValues(request.query)),
    multiValueQueryStringParameters: nullIfEmpty(Object.fromEntries(request.query)),
    pathParameters: nullIfEmpty(pathParameters),
    stageVariables: nullIfEmpty(stageVariables),
    requestContext: requestContextOf(context),
    body: bodyOf(request.body, isBase64Encoded),
    isBase64Encoded,
  };
}

/**
 * Whether a content type is one of the API's binary media types. A wildcard can stand for the subtype
 * or for every type; any other media type that starts with `*` matches nothing.
 */
export function matchesMediaType(contentType: string, mediaTypes: readonly string[]): boolean {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  return mediaTypes.some((mediaType) => {
    const binaryType = mediaType.toLowerCase();
    if (binaryType === '*/*') return true;
    if (binaryType.startsWith('*')) return false;
    return binaryType.endsWith('/*')
      ? type.startsWith(binaryType.slice(0, -1))
      : type === binaryType;
  });
}

function forwardedHeaders(request: IncomingRequest, trace: TraceHeader): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const [key, { name, values }] of request.headers) {
    if (!withheldHeaders.includes(key)) headers.set(ownSpelling.get(key) ?? name, values);
  }
  const forwardedFor = request.headers.get('x-forwarded-for')?.values ?? [];
  replace(headers, 'X-Forwarded-For', [...forwardedFor, request.sourceIp].join(', '));
  replace(headers, 'X-Forwarded-Port', '443');
  replace(headers, 'X-Forwarded-Proto', 'https');
  replace(headers, traceHeaderName, trace.forwarded);
  return headers;
}

function replace(headers: Map<string, string[]>, name: string, value: string): void {
  for (const key of headers.keys()) {
    if (key.toLowerCase() === name.toLowerCase()) headers.delete(key);
  }
  headers.set(name, [value]);
}

function requestContextOf({ identity, error: _, ...context }: RequestContext): object {
  return {
    ...context,
    identity: {
      ...unusedIdentity,
      ...identity,
    },
  };
}

// These fields are in every event. They are null unless a request is signed with IAM credentials.
const unusedIdentity = {
  accessKey: null,
  accountId: null,
  caller: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

function bodyOf(body: Buffer, isBase64Encoded: boolean): string | null {
  if (body.length === 0) return null;
  return body.toString(isBase64Encoded ? 'base64' : 'utf8');
}

function lastValues(values: ReadonlyMap<string, string[]>): Record<string, string> {
  return Object.fromEntries([...values].map(([name, list]) => [name, list.at(-1)!]));
}

function nullIfEmpty<T extends object>(value: T): T | null {
  return Object.keys(value).length === 0 ? null : value;
}
