/*
 * Each class states its name: what a minifier makes of a class's own is one letter, and the log is
 * searched by name.
 */

/** An error that the client is told about: its status, code and message are the answer's body. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
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

/** The `orderId` of the path is not an int64 in its one canonical spelling. */
export class InvalidOrderIdError extends ApiError {
  override readonly name = 'InvalidOrderIdError';

  constructor() {
    super(400, 'invalid_order_id', 'The order id must be an integer between -2^63 and 2^63 - 1.');
  }
}

/** A body was sent as JSON and does not parse. */
export class InvalidBodyError extends ApiError {
  override readonly name = 'InvalidBodyError';

  constructor(options?: ErrorOptions) {
    super(400, 'invalid_body', 'The request body is not valid JSON.', options);
  }
}

/** No order has the given id. */
export class OrderNotFoundError extends ApiError {
  override readonly name = 'OrderNotFoundError';

  constructor() {
    super(404, 'order_not_found', 'There is no order with this id.');
  }
}

/** The order has left the store; that cannot be reversed. */
export class OrderAlreadyShippedError extends ApiError {
  override readonly name = 'OrderAlreadyShippedError';

  constructor() {
    super(409, 'order_already_shipped', 'The order has already shipped and cannot be cancelled.');
  }
}

/** An earlier request cancelled the order. */
export class OrderAlreadyCancelledError extends ApiError {
  override readonly name = 'OrderAlreadyCancelledError';

  constructor() {
    super(409, 'order_already_cancelled', 'The order has already been cancelled.');
  }
}

/** The order is in a state, known or not, from which there is no cancelling. */
export class OrderNotCancellableError extends ApiError {
  override readonly name = 'OrderNotCancellableError';

  constructor() {
    super(409, 'order_not_cancellable', 'Only a pending order can be cancelled.');
  }
}

/** Anything unforeseen. The message says nothing; the cause is for the log. */
export class InternalError extends ApiError {
  override readonly name = 'InternalError';

  constructor(options?: ErrorOptions) {
    super(500, 'internal_error', 'The request could not be processed.', options);
  }
}

/** DynamoDB throttled the request or could not be reached. */
export class ServiceUnavailableError extends ApiError {
  override readonly name = 'ServiceUnavailableError';

  constructor(options?: ErrorOptions) {
    super(503, 'service_unavailable', 'The service is temporarily unavailable. Please retry.', {
      ...options,
      headers: { 'Retry-After': '1' },
    });
  }
}

/** The function's own time is nearly over. */
export class RequestTimeoutError extends ApiError {
  override readonly name = 'RequestTimeoutError';

  constructor(options?: ErrorOptions) {
    super(504, 'timeout', 'The request took too long.', options);
  }
}

/**
 * The key is missing, malformed, unknown, expired or revoked. API Gateway recognises this very
 * message of an authorizer and answers 401; any other makes it a failure of the authorizer.
 */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  // Lambda's runtime logs what a function throws, with its stack, which would be four fifths of that
  // line and tells nothing here: wrong keys are expected, and arrive as fast as somebody sends them.
  override readonly stack = '';

  constructor() {
    super('Unauthorized');
  }
}
