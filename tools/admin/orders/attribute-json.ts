import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lambdas/domain/item.ts';
import { OperatorError, quoted, shortened } from '../../shared/errors.ts';

/**
 * Formats attributes in DynamoDB's own JSON, with binary values in base64, and names in alphabetical order.
 *
 * @param isCompared whether equal values get the same text: sets have no order, and 1.50 is 1.5
 */
export function attributeJson(attributes: AttributeValue | Item, isCompared = false): string {
  // A type's content is a text or a list, while an attribute that is called N or SS is an object.
  return JSON.stringify(attributes, (type, part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('base64');
    if (isCompared && type === 'N' && typeof part === 'string') return comparableNumber(part);
    if (isCompared && type !== 'L' && Array.isArray(part)) {
      return part.map((each) => (type === 'NS' ? comparableNumber(each) : String(each))).sort();
    }
    if (typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}

const expected = `expected DynamoDB's own JSON, such as {"note":{"S":"text"}}`;

/** Reads DynamoDB's own JSON. @throws OperatorError with the name of an attribute that DynamoDB would not store */
export function attributesOf(json: unknown): Item {
  if (!isObject(json)) throw new OperatorError(`attributes: ${expected}`);
  const entries = Object.entries(json).map(([name, value]) => {
    const attribute = attributeOf(value);
    if (attribute) return [name, attribute] as const;
    throw new OperatorError(
      `attribute ${quoted(name)}: ${shortened(JSON.stringify(value))} is not accepted; ${expected}`,
    );
  });
  return Object.fromEntries(entries);
}

/** Whether a part of JSON is an object. A number is a NumberValue, which keeps its digits. */
export function isObject(value: unknown): value is Record<string, unknown> {
  const isPlain = typeof value === 'object' && value !== null && !(value instanceof NumberValue);
  return isPlain && !Array.isArray(value);
}

// DynamoDB's limit for lists and maps in each other.
const deepest = 32;

function attributeOf(json: unknown, depth = 0): AttributeValue | undefined {
  if (!isObject(json) || depth > deepest) return undefined;
  const [[type = '', content] = [], ...others] = Object.entries(json);
  const value = contentOf(type, content, depth);
  return value === undefined || others.length > 0 ? undefined : ({ [type]: value } as never);
}

/** The content of a value of this type; undefined if DynamoDB does not store it. */
function contentOf(type: string, content: unknown, depth: number): unknown {
  if (type === 'BOOL' && typeof content === 'boolean') return content;
  if (type === 'NULL' && content === true) return content;
  if (type === 'L') return allOf(content, (each) => attributeOf(each, depth + 1));
  if (type === 'M' && isObject(content)) {
    const values = allOf(Object.values(content), (each) => attributeOf(each, depth + 1));
    return values && Object.fromEntries(Object.keys(content).map((name, at) => [name, values[at]]));
  }
  if (/^[SNB]S$/.test(type)) {
    const members = allOf(content, (each) => contentOf(type.charAt(0), each, depth)) ?? [];
    const different = new Set(
      members.map((each) => attributeJson({ [type.charAt(0)]: each } as never, true)),
    );
    return members.length > 0 && different.size === members.length ? members : undefined;
  }
  if (typeof content !== 'string') return undefined;
  if (type === 'S') return content.isWellFormed() ? content : undefined;
  if (type === 'N') return comparableNumber(content) && content;
  const bytes = Buffer.from(content, 'base64');
  return type === 'B' && bytes.toString('base64') === content ? new Uint8Array(bytes) : undefined;
}

/** Undefined if it is no list, or one of its members cannot be converted. */
function allOf<T>(list: unknown, convert: (each: unknown) => T | undefined): T[] | undefined {
  const members = Array.isArray(list) ? list.map(convert) : [undefined];
  return members.includes(undefined) ? undefined : (members as T[]);
}

/** Whether DynamoDB considers two values or items equal. */
export function isSame(
  one: AttributeValue | Item = {},
  other: AttributeValue | Item = {},
): boolean {
  return attributeJson(one, true) === attributeJson(other, true);
}

const numberForm = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * A text that is the same for equal numbers; undefined if DynamoDB cannot store the number. It stores 38 digits,
 * from 1E-130 to 9.99E+125.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
 */
export function comparableNumber(text: string): string | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = numberForm.exec(text) ?? [];
  if (whole + fraction === '') return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  const power = digits.length - fraction.length + Number(exponent) - 1;
  const isStorable = significant.length <= 38 && power >= -130 && power <= 125;
  return isStorable ? `${sign}${significant}e${power}` : undefined;
}
