import { GatewayResponse, type IRestApi, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import {
  type ApiError,
  InternalError,
  InvalidBodyError,
  RequestTimeoutError,
  RequestTooLargeError,
  ServiceUnavailableError,
} from '../../lambdas/contract/errors.ts';
import { bearerChallenge, rateLimitHeaders } from '../../lambdas/http/headers.ts';

/** Headers with their values as API Gateway's mapping expressions: static values are in single quotes. */
export type Mappings = Readonly<Record<string, string>>;

/** An error response that API Gateway creates itself. */
export interface ErrorAnswer {
  readonly status: number;
  /** A text, or a `$context` variable. API Gateway inserts the variable's value without escaping. */
  readonly code: string;
  readonly message: string;
}

interface GatewayAnswer extends ErrorAnswer {
  /** Whether the authorizer has accepted the key, so that its context has the limits. @default false */
  readonly isAuthorized?: boolean;
  readonly headers?: Mappings;
}

const soon = { 'Retry-After': "'1'" };

const authorizerDown: GatewayAnswer = {
  status: 503,
  code: 'service_unavailable',
  message: 'The service cannot check API keys right now. Retry after 1 second.',
  headers: soon,
};

/** The API has no such path, or the path has no such method. */
export const notFound: GatewayAnswer = {
  status: 404,
  code: 'not_found',
  message: 'There is no such path or method.',
};

const internalError = answerOf(new InternalError());

const badRequest: GatewayAnswer = {
  status: 400,
  code: 'bad_request',
  message: 'The request is not valid.',
};

const retryAfter = { 'Retry-After': 'context.authorizer.retryAfter' };

/**
 * The responses that API Gateway creates itself, by gateway response type. Every documented type is listed, so that
 * no response has a body of another form.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: Readonly<Record<string, GatewayAnswer>> = {
  UNAUTHORIZED: {
    status: 401,
    code: 'unauthorized',
    message: 'A valid API key is required: Authorization: Bearer <API key>.',
    headers: { 'WWW-Authenticate': `'${bearerChallenge}'` },
  },
  // No method accepts AWS signatures, so API Gateway checks a signature only for a route that does not exist.
  EXPIRED_TOKEN: notFound,
  INVALID_SIGNATURE: notFound,
  // The authorizer denies only requests that have a valid key, and are beyond a limit or whose key is banned.
  ACCESS_DENIED: {
    status: 429,
    code: '$context.authorizer.code',
    message: '$context.authorizer.message',
    isAuthorized: true,
    headers: retryAfter,
  },
  THROTTLED: {
    status: 429,
    code: 'rate_limit_exceeded',
    // The stage's throttle can reject a request before the authorizer has run, so this response must
    // not depend on the authorizer's context. The throttle's token bucket refills within a second.
    message: 'Too many requests at once. Retry after 1 second.',
    headers: soon,
  },
  QUOTA_EXCEEDED: {
    status: 429,
    code: 'quota_exceeded',
    message: 'The daily quota is used up. Retry after $context.authorizer.retryAfter seconds.',
    isAuthorized: true,
    headers: retryAfter,
  },
  AUTHORIZER_FAILURE: authorizerDown,
  AUTHORIZER_CONFIGURATION_ERROR: authorizerDown,
  // The authorizer accepts the key, but API Gateway does not know the owner's gateway key yet, for example while the
  // owner is being created or changes plans.
  INVALID_API_KEY: { ...authorizerDown, isAuthorized: true },
  MISSING_AUTHENTICATION_TOKEN: notFound,
  RESOURCE_NOT_FOUND: notFound,
  BAD_REQUEST_PARAMETERS: badRequest,
  BAD_REQUEST_BODY: answerOf(new InvalidBodyError()),
  REQUEST_TOO_LARGE: answerOf(new RequestTooLargeError()),
  // Functions accept every content type, so this is nearly always the response to an unknown path.
  UNSUPPORTED_MEDIA_TYPE: notFound,
  WAF_FILTERED: {
    status: 403,
    code: 'forbidden',
    message: 'The request was refused.',
  },
  // Lambda could not start the function, or the function died, perhaps after it had cancelled an order.
  INTEGRATION_FAILURE: {
    ...answerOf(new ServiceUnavailableError()),
    isAuthorized: true,
    headers: soon,
  },
  API_CONFIGURATION_ERROR: { ...internalError, isAuthorized: true },
  INTEGRATION_TIMEOUT: { ...answerOf(new RequestTimeoutError()), isAuthorized: true },
  DEFAULT_4XX: badRequest,
  DEFAULT_5XX: internalError,
};

/** Gives every response that API Gateway creates itself the form and the headers of all other errors. */
export function addGatewayResponses(
  scope: Construct,
  restApi: IRestApi,
  everyResponse: Mappings,
): void {
  for (const [type, answer] of Object.entries(answers)) {
    new GatewayResponse(scope, `GatewayResponse-${type}`, {
      restApi,
      type: ResponseType.of(type),
      statusCode: String(answer.status),
      responseHeaders: {
        ...rateLimitMappings(answer.isAuthorized),
        ...everyResponse,
        ...answer.headers,
      },
      templates: { 'application/json': errorBody(answer) },
    });
  }
}

/** The rate-limit headers. @param isAuthorized whether the values are in the authorizer's context */
export function rateLimitMappings(isAuthorized = false): Mappings {
  return Object.fromEntries(
    Object.entries(rateLimitHeaders).map(([name, { variable, withoutKey }]) => [
      name,
      isAuthorized ? `context.authorizer.${variable}` : `'${withoutKey}'`,
    ]),
  );
}

/** Headers with constant values. */
export function staticMappings(headers: Readonly<Record<string, string>>): Mappings {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}

/** API Gateway's answer with the status, code and message of an error that handlers throw. */
function answerOf({ status, code, message }: ApiError): ErrorAnswer {
  return { status, code, message };
}

/** The JSON text of an error body. API Gateway replaces `$context` variables without escaping. */
export function errorBody({ code, message, status }: ErrorAnswer): string {
  return JSON.stringify({ code, message, status });
}
