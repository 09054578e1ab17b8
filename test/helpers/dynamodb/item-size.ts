import type { AttributeValue } from '@aws-sdk/client-dynamodb';

const overheadOfMap = 3;
const overheadOfEntry = 1;

/**
 * The size of an item in bytes by DynamoDB's rules for strings, numbers and maps. A number takes a
 * byte for each two significant digits and one more byte. AWS calls this approximate, so two are
 * added here.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
 */
export function itemSizeBytes(item: Record<string, AttributeValue>): number {
  return sum(
    Object.entries(item).map(([name, value]) => Buffer.byteLength(name) + valueBytes(value)),
  );
}

function valueBytes({ S, N, M }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return 2 + Math.ceil(N.replace(/^-?0*/, '').length / 2);
  if (M !== undefined) {
    return overheadOfMap + overheadOfEntry * Object.keys(M).length + itemSizeBytes(M);
  }
  throw new Error('No item of this service has such an attribute.');
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
