/** An error that is reported to the client: status, code and message form the response body. */
export class ApiError extends Error {
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
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
  }
}

/** The `orderId` in the path is not an int64 in canonical form. */
export class InvalidOrderIdError extends ApiError {
  constructor() {
    super(400, 'invalid_order_id', 'The order id must be an integer between -2^63 and 2^63 - 1.');
  }
}

/** The request body is declared as JSON and cannot be parsed. */
export class InvalidBodyError extends ApiError {
  constructor(options?: ErrorOptions) {
    super(400, 'invalid_body', 'The request body is not valid JSON.', options);
  }
}

/** No order has the given id. */
export class OrderNotFoundError extends ApiError {
  constructor() {
    super(404, 'order_not_found', 'There is no order with this id.');
  }
}

/** The order has shipped, which cannot be reversed. */
export class OrderAlreadyShippedError extends ApiError {
  constructor() {
    super(409, 'order_already_shipped', 'The order has already shipped and cannot be cancelled.');
  }
}

/** An earlier request cancelled the order. */
export class OrderAlreadyCancelledError extends ApiError {
  constructor() {
    super(409, 'order_already_cancelled', 'The order has already been cancelled.');
  }
}

/** The order is in any other state from which it cannot be cancelled. */
export class OrderNotCancellableError extends ApiError {
  constructor() {
    super(409, 'order_not_cancellable', 'Only a pending order can be cancelled.');
  }
}

/** An unexpected failure. The message reveals nothing about it; the cause is logged. */
export class InternalError extends ApiError {
  constructor(options?: ErrorOptions) {
    super(500, 'internal_error', 'The request could not be processed.', options);
  }
}

/** DynamoDB throttled the request or could not be reached. */
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
  constructor(options?: ErrorOptions) {
    super(504, 'timeout', 'The request took too long.', options);
  }
}

/**
 * The key is missing or not valid. API Gateway answers 401 if an authorizer fails with exactly the
 * message `Unauthorized`; any other message counts as a failure of the authorizer.
 */
export class UnauthorizedError extends Error {
  constructor() {
    super('Unauthorized');
    this.name = new.target.name;
  }
}
