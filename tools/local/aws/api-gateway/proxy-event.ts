import { type IncomingRequest, pathBelowStage } from './incoming-request.ts';
import type { RequestContext } from './request-context.ts';

// The headers of the client that API Gateway does not forward to the function, or for which it sends a value of its
// own.
const withheldHeaders = `
  connection content-length content-md5 expect max-forwards proxy-authenticate server te trailer
  transfer-encoding upgrade www-authenticate
  x-amzn-trace-id x-forwarded-for x-forwarded-port x-forwarded-proto`.split(/\s+/);

// API Gateway forwards these headers in this spelling, and all other headers in the client's spelling.
const ownSpelling = new Map([
  ['authorization', 'Authorization'],
  ['user-agent', 'User-Agent'],
]);

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html#api-gateway-simple-proxy-for-lambda-input-format */
export function createProxyEvent(
  request: IncomingRequest,
  context: RequestContext,
  pathParameters: Readonly<Record<string, string>>,
  trace: string,
): object {
  const headers = forwardedHeaders(request, trace);
  return {
    resource: context.resourcePath,
    // The URL of a call to the API's own host name contains the stage. This field does not contain it.
    path: pathBelowStage(request.path, context.stage),
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: Object.fromEntries(headers),
    queryStringParameters: nullIfEmpty(lastValues(request.query)),
    multiValueQueryStringParameters: nullIfEmpty(Object.fromEntries(request.query)),
    pathParameters: nullIfEmpty(pathParameters),
    stageVariables: null,
    requestContext: context,
    body: request.body.length === 0 ? null : request.body.toString('utf8'),
    // False, because the API has no binary media types.
    isBase64Encoded: false,
  };
}

function forwardedHeaders(request: IncomingRequest, trace: string): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const [key, { name, values }] of request.headers) {
    if (!withheldHeaders.includes(key)) headers.set(ownSpelling.get(key) ?? name, values);
  }
  const forwardedFor = request.headers.get('x-forwarded-for')?.values ?? [];
  return headers
    .set('X-Forwarded-For', [[...forwardedFor, request.sourceIp].join(', ')])
    .set('X-Forwarded-Port', ['443'])
    .set('X-Forwarded-Proto', ['https'])
    .set('X-Amzn-Trace-Id', [trace]);
}

function lastValues(values: ReadonlyMap<string, string[]>): Record<string, string> {
  return Object.fromEntries([...values].map(([name, list]) => [name, list.at(-1)!]));
}

function nullIfEmpty<T extends object>(value: T): T | null {
  return Object.keys(value).length === 0 ? null : value;
}
