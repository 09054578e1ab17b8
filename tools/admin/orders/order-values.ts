import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isValueOf, type OrderField, orderFields } from '../../../lambdas/orders/order-fields.ts';
import { type OrderStatus, orderStatuses } from '../../../lambdas/orders/order-states.ts';

/** A number of a JSON text with all its digits, which a JavaScript number would round beyond 2^53. */
interface ExactNumber {
  readonly rawJSON: string;
}

// TypeScript does not declare these functions of ECMAScript 2026 yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): ExactNumber;
  isRawJSON(value: unknown): value is ExactNumber;
};

/**
 * Makes a number that `JSON.stringify` writes with the digits of the text. @throws SyntaxError if the text is not a
 * number
 */
export const exactNumber = rawJSON;

/** Parses JSON in which each number is exact. @throws SyntaxError */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === 'number' ? rawJSON(context!.source) : value,
  );
}

/** Converts a value of `parseExactly` into an attribute. The attribute is empty if no field has values of this type. */
export function attributeOf(value: unknown): AttributeValue {
  if (isRawJSON(value)) return { N: value.rawJSON };
  if (typeof value === 'boolean') return { BOOL: value };
  return (typeof value === 'string' ? { S: value } : {}) as AttributeValue;
}

/** The fields that operators can import: the fields that the API publishes, and the status. */
const fields = { ...orderFields, status: { type: 'string', format: 'status' } } as const;

type FieldName = keyof typeof fields;

/** The accepted values of each format, or of each type without a format. */
const expectations: Record<string, string> & Record<OrderField['type'], string> = {
  integer: 'an integer',
  string: 'a text',
  int64: 'an integer from -9223372036854775808 to 9223372036854775807',
  'date-time': 'a date-time such as "2026-11-20T09:30:00Z"',
  boolean: 'true or false',
  status: `"${orderStatuses.join('", "')}"`,
};

/** Describes the values that a field accepts. */
export function expectedOf(name: FieldName): string {
  const field: { type: string; format?: string } = fields[name];
  return expectations[field.format ?? field.type]!;
}

export function isField(name: string): name is FieldName {
  return Object.hasOwn(fields, name);
}

/** Whether a field accepts a value. The API leaves out every other value of a published field. */
export function isAccepted(name: FieldName, value: AttributeValue): boolean {
  if (name === 'status') return isKnown(value);
  return isValueOf(fields[name] as OrderField, value);
}

/** Whether a status is one of the states. */
export function isKnown(status: AttributeValue | undefined): boolean {
  return orderStatuses.includes(status?.S as OrderStatus);
}

/** Whether an argument of a command is a number that DynamoDB can hold, and so can be the id of an item. */
export function isOrderId(text: string): boolean {
  return /^(?!(?:\D*\d){39})-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
}
