/** Why API Gateway answers a request by itself. */
export type GatewayResponseType = keyof typeof builtInResponses;

/** Thrown by the steps of a request to make the gateway answer by itself. */
export class GatewayFault extends Error {
  override name = 'GatewayFault';
  readonly type: GatewayResponseType;
  /** The status where the template sets none. @default - the type's own */
  readonly status: number | undefined;
  /** What is said to the client; some types say nothing. */
  readonly shownMessage: string | null;
  /** Value of `x-amzn-ErrorType`. */
  readonly errorType: string;

  constructor(type: GatewayResponseType, options: GatewayFaultOptions = {}) {
    const { status, message = builtInResponses[type].message, cause } = options;
    super(message ?? type, { cause });
    this.type = type;
    this.status = status;
    this.shownMessage = message;
    this.errorType = options.errorType ?? `${builtInResponses[type].errorType}Exception`;
  }
}

/** What differs from the answer that the type gives by itself. */
export interface GatewayFaultOptions {
  readonly message?: string;
  readonly status?: number;
  readonly errorType?: string;
  readonly cause?: unknown;
}

interface BuiltInResponse {
  readonly status: number;
  readonly message: string | null;
  /** Value of `x-amzn-ErrorType` without `Exception`. */
  readonly errorType: string;
}

/**
 * What API Gateway answers where the template says nothing.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html
 */
export const builtInResponses = {
  ACCESS_DENIED: response(403, 'User is not authorized to access this resource', 'AccessDenied'),
  API_CONFIGURATION_ERROR: response(500, 'Internal server error', 'InternalServerError'),
  AUTHORIZER_CONFIGURATION_ERROR: response(500, null, 'AuthorizerConfiguration'),
  AUTHORIZER_FAILURE: response(500, null, 'AuthorizerFailure'),
  BAD_REQUEST_BODY: response(400, 'Invalid request body', 'BadRequest'),
  BAD_REQUEST_PARAMETERS: response(400, 'Bad Request', 'BadRequest'),
  DEFAULT_4XX: response(400, 'Bad Request', 'BadRequest'),
  DEFAULT_5XX: response(500, 'Internal server error', 'InternalServerError'),
  EXPIRED_TOKEN: response(
    403,
    'The security token included in the request is expired',
    'ExpiredToken',
  ),
  INTEGRATION_FAILURE: response(504, 'Internal server error', 'InternalServerError'),
  INTEGRATION_TIMEOUT: response(504, 'Endpoint request timed out', 'InternalServerError'),
  INVALID_API_KEY: response(403, 'Forbidden', 'Forbidden'),
  INVALID_SIGNATURE: response(403, 'The request signature is not valid', 'InvalidSignature'),
  MISSING_AUTHENTICATION_TOKEN: response(
    403,
    'Missing Authentication Token',
    'MissingAuthenticationToken',
  ),
  QUOTA_EXCEEDED: response(429, 'Limit Exceeded', 'LimitExceeded'),
  REQUEST_TOO_LARGE: response(413, 'Request Too Long', 'RequestTooLarge'),
  RESOURCE_NOT_FOUND: response(404, 'Not Found', 'NotFound'),
  THROTTLED: response(429, 'Too Many Requests', 'TooManyRequests'),
  UNAUTHORIZED: response(401, 'Unauthorized', 'Unauthorized'),
  UNSUPPORTED_MEDIA_TYPE: response(415, 'Unsupported Media Type', 'BadRequest'),
  WAF_FILTERED: response(403, 'Forbidden', 'Forbidden'),
} as const;

function response(status: number, message: string | null, errorType: string): BuiltInResponse {
  return { status, message, errorType };
}
