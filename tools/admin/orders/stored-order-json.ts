import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { OperatorError, quoted, reasonOf } from '../../shared/errors.ts';
import type { StoredOrder } from './find-order.ts';
import { fileFields } from './order-record.ts';

const expectedLine =
  'expected an order, {"id":…,"petId":…}, or CSV in a file whose name ends with .csv';

/**
 * Formats a stored order, with all of its attributes, as one line of JSON with exact integers.
 *
 * @throws OperatorError if an attribute is a collection or binary
 */
export function storedOrderJson(order: StoredOrder): string {
  const known = fileFields.filter((field) => order[field] !== undefined);
  const others = Object.keys(order).filter((name) => !(known as string[]).includes(name));
  const members = [...known, ...others.sort()].map(
    (name) => `${JSON.stringify(name)}:${jsonOf(name, order)}`,
  );
  return `{${members.join(',')}}`;
}

function jsonOf(name: string, order: StoredOrder): string {
  const value = order[name];
  if (value instanceof NumberValue) return String(value);
  if (value === null || ['string', 'boolean'].includes(typeof value)) return JSON.stringify(value);
  throw new OperatorError(
    `order ${order.id}: its attribute ${JSON.stringify(name)} is a collection or binary`,
    { remedy: 'another program stored it: remove it and run the command again' },
  );
}

/**
 * Parses a line of JSON, with every number as a `NumberValue`.
 *
 * @throws OperatorError if it is not an object, or has a field twice
 */
export function fieldsOfJson(text: string): Record<string, unknown> {
  const value = parseJson(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof NumberValue) {
    throw new OperatorError(`is JSON, but not an object; ${expectedLine}`);
  }
  refuseRepeatedFields(text);
  return value as Record<string, unknown>;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (error) {
    const problem = `is not JSON: ${reasonOf(error)}; ${expectedLine}`;
    throw new OperatorError(problem, { cause: error });
  }
}

// The third argument contains the source text of a number (ECMAScript 2026), which is not rounded.
function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' ? NumberValue.from(context!.source) : value;
}

// A string of JSON, and if it is a name, the colon after it.
const jsonString = /("(?:[^"\\]|\\.)*")(\s*:)?/g;

/** Refuses an order that has a field twice, because `JSON.parse` would keep only the last value. */
function refuseRepeatedFields(text: string): void {
  const strings = [...text.matchAll(jsonString)];
  const names = strings.filter(([, , colon]) => colon).map(([, name]) => JSON.parse(name!));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new OperatorError(`${quoted(repeated)}: the order has this field twice`);
}
