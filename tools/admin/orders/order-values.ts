import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { isValueOf, type OrderField, orderFields } from '../../../lambdas/orders/order-fields.ts';
import { type OrderStatus, orderStatuses } from '../../../lambdas/orders/order-states.ts';

/**
 * Makes a number that `JSON.stringify` writes with all digits of the text, which a JavaScript number would round beyond
 * 2^53. TypeScript does not declare this function of ECMAScript 2026 yet.
 */
export const { rawJSON: exactNumber } = JSON as unknown as { rawJSON(text: string): object };

/** For `JSON.parse`: converts the values in an object into attributes. Numbers stay exact. */
export function attributeOf(name: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value === 'number') return { N: context!.source };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  return name === '' ? value : { M: value };
}

/** Converts an attribute for JSON. Numbers stay exact. Types that JSON does not have stay in DynamoDB's own form. */
export function jsonOf({ S, N, BOOL, NULL, ...other }: AttributeValue): unknown {
  if (N !== undefined) return exactNumber(N);
  return NULL ? null : (S ?? BOOL ?? JSON.parse(JSON.stringify(other, bytesInBase64)));
}

const bytesInBase64 = (_name: string, part: unknown) =>
  part instanceof Uint8Array ? Buffer.from(part).toString('base64') : part;

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
