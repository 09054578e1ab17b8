import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { OperatorError, quoted, reasonOf } from '../../shared/errors.ts';
import { attributeJson, attributesOf, comparableNumber, isObject } from './attribute-json.ts';
import { fileFields, isAccepted, type OrderItem, orderFromFields } from './order-record.ts';

const expectedLine =
  'expected an order, {"id":…,"petId":…}, or CSV in a file whose name ends with .csv';

/** Splits an order into what the fields of a line can say, and the other attributes. */
export function partsOf(order: Item): { fields: Item; attributes: Item } {
  const { fields = [], attributes = [] } = Object.groupBy(Object.entries(order), ([name, value]) =>
    // CSV cannot say that a text is empty.
    value?.S !== '' && isAccepted(name, value) ? 'fields' : 'attributes',
  );
  return { fields: Object.fromEntries(fields), attributes: Object.fromEntries(attributes) };
}

/** Formats a stored order as one line of JSON that an import reads back exactly. Without a status, it has null. */
export function orderJson(order: Item): string {
  const { fields, attributes } = partsOf(order);
  const members = fileFields.flatMap((name) => {
    const { [name]: value } = fields;
    if (value) return `"${name}":${value.N ?? JSON.stringify(value.S ?? value.BOOL)}`;
    return name === 'status' && !order.status ? '"status":null' : [];
  });
  if (Object.keys(attributes).length > 0) members.push(`"attributes":${attributeJson(attributes)}`);
  return `{${members.join(',')}}`;
}

/** Formats a result with lists of ids, which are exact. */
export function idsJson(value: object, ids: Readonly<Record<string, readonly string[]>>): string {
  const lists = Object.entries(ids).map(([name, list]) => `,"${name}":[${list}]`);
  return `${JSON.stringify(value).slice(0, -1)}${lists.join('')}}`;
}

/**
 * Reads a line: an order as `orderJson` writes it, or an item in DynamoDB's own JSON, with or without
 * `{"Item":…}` around it, which is taken as it is.
 */
export function orderOfJson(text: string): OrderItem {
  const line = parseJson(text);
  if (!isObject(line)) throw new OperatorError(`is JSON, but not an object; ${expectedLine}`);
  const { Item: item = line } = line;
  if (isObject(item) && isObject(item.id)) return orderFromFields({}, attributesOf(item));
  const { attributes = {}, ...others } = line;
  const fields = Object.entries(others).map(([name, value]) => [name, scalarOf(value)]);
  return orderFromFields(Object.fromEntries(fields), attributesOf(attributes));
}

/** Reads a line that can also be an id alone. */
export function orderOfJsonOrId(text: string): OrderItem {
  const word = text.trim();
  if (word.startsWith('{')) return orderOfJson(text);
  return isOrderId(word) ? { id: { N: word } } : orderFromFields({ id: { S: word } });
}

/** Whether a text is a number that DynamoDB stores, without a leading zero. An item can have any of them. */
export function isOrderId(text: string): boolean {
  return comparableNumber(text) !== undefined && !/^-?0\d/.test(text);
}

function scalarOf(value: unknown): AttributeValue {
  if (value instanceof NumberValue) return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  return value === null ? { NULL: true } : { L: [] };
}

/** @throws OperatorError if a text is not JSON, or an object in it has a field twice */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text, keepDigits);
    refuseRepeatedFields(text);
    return value;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const problem = `is not JSON: ${reasonOf(error)}; ${expectedLine}`;
    throw new OperatorError(problem, { cause: error });
  }
}

// The third argument contains the source text of a number (ECMAScript 2026), which is not rounded.
function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' ? NumberValue.from(context!.source) : value;
}

// A string of JSON, and if it is a name, the colon after it; or the beginning or end of an object.
const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}]/g;

/** Refuses an object that has a field twice, because `JSON.parse` would keep only the last value. */
function refuseRepeatedFields(text: string): void {
  const objects: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(jsonToken)) {
    if (token === '{') objects.push(new Set());
    else if (token === '}') objects.pop();
    if (!string || !colon) continue;
    const [name, names] = [JSON.parse(string), objects.at(-1)!];
    if (names.has(name)) throw new OperatorError(`${quoted(name)}: the order has this field twice`);
    names.add(name);
  }
}
