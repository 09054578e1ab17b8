import { InvalidOrderIdError } from './errors.ts';

const canonicalInteger = /^(?:0|-?[1-9][0-9]{0,18})$/;
const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

/**
 * An order id out of a path: an int64 in its one canonical spelling, kept as its digits, because a
 * JavaScript number would lose those beyond 2^53.
 *
 * @param segment as API Gateway passes it, percent-encoding resolved or not
 * @throws InvalidOrderIdError
 */
export function parseOrderId(segment: string | undefined): string {
  if (segment === undefined || !canonicalInteger.test(segment)) throw new InvalidOrderIdError();
  const value = BigInt(segment);
  if (value < minInt64 || value > maxInt64) throw new InvalidOrderIdError();
  return segment;
}
