import { GatewayResponse, type IRestApi, ResponseType } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import {
  type ErrorAnswer,
  errorAnswer,
  type Mappings,
  rateLimitMappings,
  staticMappings,
} from './error-answers.ts';

const authorizerDown = errorAnswer('service_unavailable', {
  message: 'The service cannot check API keys right now. Retry after 1 second.',
});

const retryAfter = { 'Retry-After': 'context.authorizer.retryAfter' };

/**
 * The responses that API Gateway creates itself, by gateway response type. Every documented type is listed, so that
 * no response has a body of another form.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
const answers: Readonly<Record<string, ErrorAnswer>> = {
  UNAUTHORIZED: errorAnswer('unauthorized'),
  // These responses mean that the route does not exist, because API Gateway checks signatures only for such routes.
  EXPIRED_TOKEN: errorAnswer('not_found'),
  INVALID_SIGNATURE: errorAnswer('not_found'),
  // The authorizer denies a request only if its key is valid, and a limit is exceeded or the key is banned.
  ACCESS_DENIED: errorAnswer('rate_limit_exceeded', {
    code: '$context.authorizer.code',
    message: '$context.authorizer.message',
    headers: retryAfter,
  }),
  // The stage's throttle can reject a request before the authorizer has run, so this response must not depend on the
  // authorizer's context. The throttle's token bucket refills within a second.
  THROTTLED: errorAnswer('rate_limit_exceeded', {
    message: 'Too many requests at once. Retry after 1 second.',
    headers: staticMappings({ 'Retry-After': '1' }),
  }),
  QUOTA_EXCEEDED: errorAnswer('quota_exceeded', {
    message: 'The daily quota is used up. Retry after $context.authorizer.retryAfter seconds.',
    headers: retryAfter,
  }),
  AUTHORIZER_FAILURE: authorizerDown,
  AUTHORIZER_CONFIGURATION_ERROR: authorizerDown,
  // The authorizer accepts the key, but API Gateway does not know the owner's gateway key for its plan, for example
  // in the first seconds of an owner.
  INVALID_API_KEY: authorizerDown,
  MISSING_AUTHENTICATION_TOKEN: errorAnswer('not_found'),
  RESOURCE_NOT_FOUND: errorAnswer('not_found'),
  BAD_REQUEST_PARAMETERS: errorAnswer('bad_request'),
  BAD_REQUEST_BODY: errorAnswer('invalid_body'),
  REQUEST_TOO_LARGE: errorAnswer('request_too_large'),
  // Functions accept every content type, so this is nearly always the response to an unknown path.
  UNSUPPORTED_MEDIA_TYPE: errorAnswer('not_found'),
  WAF_FILTERED: errorAnswer('forbidden'),
  // Lambda could not start the function, or the function died, perhaps after it had cancelled an order.
  INTEGRATION_FAILURE: errorAnswer('service_unavailable'),
  API_CONFIGURATION_ERROR: errorAnswer('internal_error'),
  INTEGRATION_TIMEOUT: errorAnswer('timeout'),
  DEFAULT_4XX: errorAnswer('bad_request'),
  DEFAULT_5XX: errorAnswer('internal_error'),
};

/** The types of response after which the authorizer's context has the limits, because it has accepted the key. */
const authorized = new Set([
  'ACCESS_DENIED',
  'QUOTA_EXCEEDED',
  'INVALID_API_KEY',
  'INTEGRATION_FAILURE',
  'API_CONFIGURATION_ERROR',
  'INTEGRATION_TIMEOUT',
]);

/**
 * The number of gateway responses that CloudFormation creates at the same time. API Gateway accepts 10 calls a second,
 * and would refuse some calls if all responses were created at once.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const atOnce = 3;

/** Gives every response that API Gateway creates itself the form and the headers of all other errors. */
export function addGatewayResponses(
  scope: Construct,
  restApi: IRestApi,
  everyResponse: Mappings,
): void {
  const added: GatewayResponse[] = [];
  for (const [type, answer] of Object.entries(answers)) {
    const response = new GatewayResponse(scope, `GatewayResponse-${type}`, {
      restApi,
      type: ResponseType.of(type),
      statusCode: String(answer.status),
      responseHeaders: {
        ...rateLimitMappings(authorized.has(type)),
        ...everyResponse,
        ...answer.headers,
      },
      templates: { 'application/json': answer.body },
    });
    const previous = added.at(-atOnce);
    if (previous) response.node.addDependency(previous);
    added.push(response);
  }
}
