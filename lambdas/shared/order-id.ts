import { InvalidOrderIdError } from './errors.ts';

const canonicalInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;

/** Whether the text is `0`, or digits without a leading zero, maybe signed, within ±2^63. */
export function isInt64(text: string): boolean {
  return canonicalInteger.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

/**
 * An order id out of a path: an int64 in its one canonical spelling, kept as its digits, because a
 * JavaScript number would lose those beyond 2^53.
 *
 * @param segment as API Gateway passes it, percent-encoding resolved or not
 * @throws InvalidOrderIdError
 */
export function parseOrderId(segment: string | undefined): string {
  if (segment !== undefined && isInt64(segment)) return segment;
  throw new InvalidOrderIdError();
}
