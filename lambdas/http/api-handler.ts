import middy from '@middy/core';
import jsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import { type AuthorizerContext, rateLimitHeaders } from '../keys/rate-limit-headers.ts';
import { asServiceError } from '../runtime/dynamodb.ts';
import { optionalVariable } from '../runtime/environment.ts';
import { log } from '../runtime/log.ts';
import { everyResponseHeaders, header } from './headers.ts';

/** A response. `Body` is a string, or the value that a handler returns if it streams its response. */
export interface ApiResponse<Body = string> {
  statusCode: number;
  headers: Record<string, string>;
  body: Body;
}

type Middleware = middy.MiddlewareObj<APIGatewayProxyEvent, ApiResponse<unknown>>;
type Request = middy.Request<APIGatewayProxyEvent, ApiResponse<unknown>>;

/**
 * The fields that identify a request in every log line. API Gateway's own messages contain `requestId`, which a client
 * can choose. The access log contains `extendedRequestId`, which a client cannot choose. Clients quote
 * `extendedRequestId` when they report a problem.
 */
export function logFields(event: APIGatewayProxyEvent) {
  const { requestId, extendedRequestId } = event.requestContext ?? {};
  return { requestId, extendedRequestId, keyId: authorizerContext(event).keyId };
}

/** The context that the authorizer returned. It is empty for a method that has no authorizer. */
export function authorizerContext(event: APIGatewayProxyEvent): Partial<AuthorizerContext> {
  return (event.requestContext?.authorizer ?? {}) as Partial<AuthorizerContext>;
}

/** The work of an operation. It stops when the signal is aborted, because then the client gets a 504. */
type Operation = (
  event: APIGatewayProxyEvent,
  signal: AbortSignal,
) => Promise<ApiResponse<unknown>>;

/**
 * The handler of an operation. Its middleware, outermost first, adds the headers of every response, converts errors to
 * responses, and parses the request body. Shortly before the function times out, the response is 504.
 */
export function apiHandler(operation: Operation) {
  const settings = {
    timeoutEarlyInMillis: 200,
    timeoutEarlyResponse: () => {
      throw new ApiError('timeout');
    },
  };
  return middy<APIGatewayProxyEvent, ApiResponse<unknown>>(settings)
    .use([commonHeaders(), errorResponses(), jsonBody()])
    .handler((event, _context, { signal }) => operation(event, signal));
}

function commonHeaders(): Middleware {
  const everyResponse = everyResponseHeaders(optionalVariable('CORS_ORIGIN'));
  const addHeaders = ({ event, response }: Request) => {
    const context = authorizerContext(event);
    Object.assign(response!.headers, everyResponse);
    for (const [name, { variable, withoutKey }] of Object.entries(rateLimitHeaders)) {
      response!.headers[name] = String(context[variable] ?? withoutKey);
    }
  };
  return { after: addHeaders, onError: addHeaders };
}

function errorResponses(): Middleware {
  return {
    onError: (request) => {
      const error = asApiError(request.error);
      const { status, code, message, headers } = error;
      if (status >= 500) log.error(code, error.cause ?? error, logFields(request.event));
      request.response = {
        statusCode: status,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ code, message, status }),
      };
    },
  };
}

/** Converts anything that was thrown into the error that the client gets. */
export function asApiError(error: unknown): ApiError {
  const known = asServiceError(error);
  return known instanceof ApiError ? known : new ApiError('internal_error', { cause: error });
}

/** The maximum size of a request body. Lambda accepts 6 MB, but parsing 6 MB would take seconds of CPU time. */
const maxBodyBytes = 16 * 1_024;

/** The media types of JSON. */
const jsonType = /^application\/(?:[^;]+\+)?json *(?:;|$)/i;

/** Rejects a request body that is too large, or that is declared as JSON and cannot be parsed. */
function jsonBody(): Middleware {
  const parser = jsonBodyParser({ disableContentTypeCheck: true });
  return {
    before: async (request) => {
      const { body, isBase64Encoded } = request.event;
      // A missing body is allowed, but the parser would throw.
      if (!body) return;
      const length = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
      if (length > maxBodyBytes) throw new ApiError('request_too_large');
      // The header is checked here, because the parser knows only two spellings of its name.
      if (!jsonType.test(header(request.event, 'content-type') ?? '')) return;
      try {
        await parser.before!(request as never);
      } catch {
        throw new ApiError('invalid_body');
      }
    },
  };
}
