import { InvalidOrderIdError } from './errors.ts';

const canonicalInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Whether a text is an int64 in canonical form: no leading zero, no plus sign, no `-0`. */
export function isInt64(text: string): boolean {
  return canonicalInteger.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/**
 * Validates the order id in a path. It stays a string, because a JavaScript number loses the digits
 * of an int64 beyond 2^53.
 *
 * @param segment the path parameter as API Gateway passes it
 * @throws InvalidOrderIdError if it is not an int64 in canonical form
 */
export function parseOrderId(segment: string | undefined): string {
  if (segment !== undefined && isInt64(segment)) return segment;
  throw new InvalidOrderIdError();
}
