/** The type of a gateway response with which the local run can answer. */
export type GatewayResponseType = keyof typeof builtInResponses;

/** Thrown by a step of the gateway to answer the request with a gateway response. */
export class GatewayFault extends Error {
  readonly type: GatewayResponseType;
  /** The answer if the template does not define another answer. */
  readonly builtIn: BuiltInResponse;

  constructor(
    type: GatewayResponseType,
    { cause, ...own }: Partial<BuiltInResponse> & ErrorOptions = {},
  ) {
    super(type, { cause });
    this.type = type;
    this.builtIn = { ...builtInResponses[type], ...own };
  }
}

interface BuiltInResponse {
  readonly status: number;
  /** The message in the answer; null for types without a message. */
  readonly message: string | null;
  /** The value of the header `x-amzn-ErrorType` without `Exception` at its end. */
  readonly errorType: string;
}

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html */
const builtInResponses = {
  ACCESS_DENIED: response(403, 'User is not authorized to access this resource', 'AccessDenied'),
  AUTHORIZER_CONFIGURATION_ERROR: response(500, null, 'AuthorizerConfiguration'),
  AUTHORIZER_FAILURE: response(500, null, 'AuthorizerFailure'),
  DEFAULT_4XX: response(400, 'Bad Request', 'BadRequest'),
  DEFAULT_5XX: response(500, 'Internal server error', 'InternalServerError'),
  INTEGRATION_FAILURE: response(504, 'Internal server error', 'InternalServerError'),
  INVALID_API_KEY: response(403, 'Forbidden', 'Forbidden'),
  MISSING_AUTHENTICATION_TOKEN: response(
    403,
    'Missing Authentication Token',
    'MissingAuthenticationToken',
  ),
  REQUEST_TOO_LARGE: response(413, 'Request Too Long', 'RequestTooLarge'),
  UNAUTHORIZED: response(401, 'Unauthorized', 'Unauthorized'),
  UNSUPPORTED_MEDIA_TYPE: response(415, 'Unsupported Media Type', 'BadRequest'),
} as const;

function response(status: number, message: string | null, errorType: string): BuiltInResponse {
  return { status, message, errorType };
}
