import { serviceRealm } from './service-name.ts';

/** An error that clients can get. Its code, message and status form the body of the response. */
export interface ErrorRow {
  readonly status: number;
  /** The usual message. Numbers replace a word in braces, such as `{limit}`. */
  readonly message: string;
  /** The headers that this response has in addition to the headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A group of errors by their codes. */
export type ErrorRows = Readonly<Record<string, ErrorRow>>;

/** The challenge of the `WWW-Authenticate` header (RFC 6750, section 3). */
export const bearerChallenge = `Bearer realm="${serviceRealm}"`;

/** The errors with which the authorizer rejects a request. A metric counts rejections by these codes. */
export const rejections = {
  /** The key is missing or not valid. The authorizer throws `UnauthorizedError` for this error. */
  unauthorized: {
    status: 401,
    message: 'A valid API key is required: Authorization: Bearer <API key>.',
    headers: { 'WWW-Authenticate': bearerChallenge },
  },
  rate_limit_exceeded: {
    status: 429,
    message:
      'The limit of {limit} requests per minute is used up. Retry after {retryAfter} seconds.',
  },
  quota_exceeded: {
    status: 429,
    message: 'The limit of {limit} requests per day is used up. Retry after {retryAfter} seconds.',
  },
  api_key_banned: {
    status: 429,
    message:
      'This API key is banned for a while because it kept exceeding its limits. Retry after {retryAfter} seconds.',
  },
} as const satisfies ErrorRows;

/** The errors of a request that no operation carries out. */
const invalidRequests = {
  invalid_order_id: {
    status: 400,
    message: 'The order id must be an integer between -2^63 and 2^63 - 1, without leading zeros.',
  },
  /** The body is declared as JSON, but it does not parse, or it has a member such as `__proto__`. */
  invalid_body: { status: 400, message: 'The JSON body is not accepted.' },
  /**
   * A program resumes a list, and asks for the rest of the list's bytes. A response would have the bytes of another
   * list.
   */
  range_not_supported: {
    status: 400,
    message: 'A list cannot be resumed. Discard it, and request it again.',
  },
  /**
   * The key is read-only, and the operation changes something (RFC 6750, section 3.1). API Gateway renames the header
   * to `x-amzn-Remapped-WWW-Authenticate`, like in the response of every integration. A gateway response cannot be
   * used, because it has one status for each type, and the status for a denied request is 429.
   *
   * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
   */
  insufficient_scope: {
    status: 403,
    message: 'This API key is read-only.',
    headers: { 'WWW-Authenticate': `${bearerChallenge}, error="insufficient_scope"` },
  },
  request_too_large: { status: 413, message: 'The request is too large.' },
} as const satisfies ErrorRows;

/** The errors of an order that cannot be cancelled. `order-states.ts` names the state of the order for each 409. */
export const cancellationRefusals = {
  order_not_found: { status: 404, message: 'There is no order with this id.' },
  order_already_shipped: {
    status: 409,
    message: 'The order has already shipped and cannot be cancelled.',
  },
  order_already_cancelled: { status: 409, message: 'The order has already been cancelled.' },
  order_not_cancellable: { status: 409, message: 'Only a pending order can be cancelled.' },
} as const satisfies ErrorRows;

/** The errors that are not the client's fault. Their messages do not say what failed. The log says it. */
export const failures = {
  internal_error: { status: 500, message: 'The request could not be processed.' },
  /** DynamoDB throttled the request, could not be reached, or its answer could not be read. */
  service_unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Please retry.',
    headers: { 'Retry-After': '1' },
  },
  /** The function has nearly used up its timeout. */
  timeout: { status: 504, message: 'The request took too long.' },
} as const satisfies ErrorRows;

/** Every error that a function can cause. `lib/api/error-answers.ts` adds the errors that only API Gateway answers. */
export const errors = {
  ...rejections,
  ...invalidRequests,
  ...cancellationRefusals,
  ...failures,
} as const;

export type ErrorCode = keyof typeof errors;

/** An error that is reported to the client. */
export class ApiError extends Error {
  // A string, because the log shows this name, and the minifier shortens the name of the class.
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param options a message or headers to use instead of the usual message and headers of the code; the cause, which
   * is only logged
   */
  constructor(code: ErrorCode, options: ErrorOptions & Partial<Omit<ErrorRow, 'status'>> = {}) {
    const row: ErrorRow = errors[code];
    super(options.message ?? row.message, { cause: options.cause });
    this.code = code;
    this.status = row.status;
    this.headers = options.headers ?? row.headers ?? {};
  }
}

/**
 * The key is missing or not valid. API Gateway answers 401 if an authorizer fails with exactly the
 * message `Unauthorized`; any other message counts as a failure of the authorizer.
 */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  // Lambda's runtime logs every error that a function throws, including the stack. For an invalid key, the stack says
  // nothing useful, and would be four fifths of a line that anybody can cause.
  override readonly stack = '';

  constructor() {
    super('Unauthorized');
  }
}
