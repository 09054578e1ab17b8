import { bearerChallenge } from '../http/headers.ts';

/** An error that is reported to the client: status, code and message form the response body. */
export class ApiError extends Error {
  // A literal, because the log shows this name, and the minifier shortens the names of classes.
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    options: ErrorOptions & { headers?: Record<string, string> } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
  }
}

/** The `orderId` in the path is not an int64 in canonical form. */
export class InvalidOrderIdError extends ApiError {
  constructor() {
    super(
      400,
      'invalid_order_id',
      'The order id must be an integer between -2^63 and 2^63 - 1, without leading zeros.',
    );
  }
}

/** The request body is declared as JSON, and does not parse or has a member such as `__proto__`. */
export class InvalidBodyError extends ApiError {
  constructor() {
    super(400, 'invalid_body', 'The JSON body is not accepted.');
  }
}

/** A program resumes a list, and asks for the rest of its bytes. They would be the bytes of another list. */
export class RangeNotSupportedError extends ApiError {
  constructor() {
    super(
      400,
      'range_not_supported',
      'A list cannot be resumed. Discard it, and request it again.',
    );
  }
}

/** The request body is larger than the service reads. */
export class RequestTooLargeError extends ApiError {
  constructor() {
    super(413, 'request_too_large', 'The request is too large.');
  }
}

/**
 * The key is read-only, and the operation changes something (RFC 6750, section 3.1). API Gateway renames the header to
 * `x-amzn-Remapped-WWW-Authenticate`, like in the response of every integration. A gateway response cannot be used,
 * because it has one status for each type, and the status for a denied request is 429.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
export class InsufficientScopeError extends ApiError {
  constructor() {
    super(403, 'insufficient_scope', 'This API key is read-only.', {
      headers: { 'WWW-Authenticate': `${bearerChallenge}, error="insufficient_scope"` },
    });
  }
}

/** No order has the given id. */
export class OrderNotFoundError extends ApiError {
  constructor() {
    super(404, 'order_not_found', 'There is no order with this id.');
  }
}

/** The order cannot be cancelled in its state; `order-states.ts` has the reasons. */
export class OrderNotCancellableError extends ApiError {
  constructor({ code, message }: { code: string; message: string }) {
    super(409, code, message);
  }
}

/** An unexpected failure. The message does not say what failed; the cause is logged. */
export class InternalError extends ApiError {
  constructor(options?: ErrorOptions) {
    super(500, 'internal_error', 'The request could not be processed.', options);
  }
}

/** DynamoDB throttled the request, could not be reached, or its answer could not be read. */
export class ServiceUnavailableError extends ApiError {
  constructor(options?: ErrorOptions) {
    super(503, 'service_unavailable', 'The service is temporarily unavailable. Please retry.', {
      ...options,
      headers: { 'Retry-After': '1' },
    });
  }
}

/** The function has nearly used up its timeout. */
export class RequestTimeoutError extends ApiError {
  constructor() {
    super(504, 'timeout', 'The request took too long.');
  }
}

/**
 * The key is missing or not valid. API Gateway answers 401 if an authorizer fails with exactly the
 * message `Unauthorized`; any other message counts as a failure of the authorizer.
 */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  // Lambda's runtime logs every error that a function throws, including the stack. For an invalid key
  // the stack has no information, and it would be four fifths of a line that anybody can cause.
  override readonly stack = '';

  constructor() {
    super('Unauthorized');
  }
}
