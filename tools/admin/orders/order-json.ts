import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import { OperatorError, quoted, reasonOf, shortened } from '../../shared/errors.ts';
import { attributeJson, attributeOf, comparableNumber, isObject } from './attribute-json.ts';
import {
  expectedOf,
  fileFields,
  isAccepted,
  isFileField,
  type OrderItem,
  shown,
} from './order-record.ts';

/**
 * The attributes of an order and their JSON, in the sequence of an exported line. Fields are plain values. Attributes
 * of other programs, and fields with a value of another type, are in DynamoDB's own JSON. A missing status is null.
 */
export function orderMembers(order: Item): [name: string, json: string][] {
  const others = Object.keys(order).filter((name) => !isFileField(name));
  return [...fileFields, ...others.sort()].flatMap((name) => {
    const { [name]: value } = order;
    if (!value) return name === 'status' ? [[name, 'null']] : [];
    if (!isAccepted(name, value)) return [[name, attributeJson(value)]];
    return [[name, value.N ?? JSON.stringify(value.S ?? value.BOOL)]];
  });
}

/** Formats a stored order as one line of JSON that an import reads back exactly. */
export function orderJson(order: Item): string {
  const members = orderMembers(order).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(',')}}`;
}

const example = 'expected an order such as {"id":1001,"petId":7,"note":{"S":"text"}}';

/** Reads a line as `orderJson` writes it. Only `id` is required. @throws OperatorError that names all wrong fields */
export function orderOfLine(text: string): OrderItem {
  const line = parseJson(text);
  if (isObject(line)) return orderOf(line);
  throw new OperatorError(`is JSON, but not an order; ${example}`);
}

function orderOf(line: Record<string, unknown>): OrderItem {
  const wrong: string[] = [];
  if (!('id' in line)) wrong.push(`id: missing; expected ${expectedOf('id')}`);
  const entries = Object.entries(line).map(([name, json]) => {
    if (name === 'status' && json === null) return [name, undefined];
    const value = isObject(json) ? attributeOf(json) : scalarOf(json);
    const isRight = isObject(json) ? value : isAccepted(name, value);
    if (!isRight || (name === 'id' && !value?.N)) wrong.push(notAccepted(name, json, value));
    return [name, value];
  });
  if (wrong.length > 0) throw new OperatorError(wrong.join('; and '));
  return Object.fromEntries(entries);
}

function notAccepted(name: string, json: unknown, value: AttributeValue | undefined): string {
  const found = isObject(json) ? shortened(JSON.stringify(json)) : shown(value);
  const expected =
    isFileField(name) && !isObject(json)
      ? expectedOf(name)
      : `DynamoDB's own JSON, such as {"S":"text"}`;
  const place = isFileField(name) ? name : quoted(name);
  const reason = isFileField(name) || isObject(json) ? '' : 'an order has no such field, and ';
  return `${place}: ${reason}${found} is not accepted; expected ${expected}`;
}

function scalarOf(value: unknown): AttributeValue {
  if (value instanceof NumberValue) return { N: String(value) };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  return value === null ? { NULL: true } : { L: [] };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch (cause) {
    throw new OperatorError(`is not JSON: ${reasonOf(cause)}; ${example}`, { cause });
  }
}

// Takes a number from its source text (ECMAScript 2026), because the parsed value is rounded.
function keepDigits(_key: string, value: unknown, context?: { source: string }): unknown {
  return typeof value === 'number' ? NumberValue.from(context!.source) : value;
}

/** Whether a word of the command line is the id of an order: a number that DynamoDB stores, without a leading zero. */
export function isOrderId(word: string): boolean {
  return comparableNumber(word) !== undefined && !/^-?0\d/.test(word);
}
