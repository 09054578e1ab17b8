import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';

/**
 * Formats an attribute or an item in DynamoDB's own JSON, with binary values in base64.
 *
 * @param isCompared whether equal values get the same text. Two sets are equal in any sequence, and 1.50 equals 1.5
 */
export function attributeJson(attribute: AttributeValue | Item, isCompared = false): string {
  // `type` can also be an attribute's name, such as N. But then `part` is an object, not a text or a list.
  return JSON.stringify(attribute, (type, part) => {
    if (part instanceof Uint8Array) return Buffer.from(part).toString('base64');
    if (isCompared && type === 'N' && typeof part === 'string') return comparableNumber(part);
    if (isCompared && type !== 'L' && Array.isArray(part)) {
      return part.map((each) => (type === 'NS' ? comparableNumber(each) : String(each))).sort();
    }
    if (typeof part !== 'object' || Array.isArray(part)) return part;
    // Sorted, because DynamoDB does not keep the sequence of a map's entries.
    return Object.fromEntries(
      Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  });
}

/** Whether DynamoDB considers two attributes or items equal. */
export function isSame(
  one: AttributeValue | Item = {},
  other: AttributeValue | Item = {},
): boolean {
  return attributeJson(one, true) === attributeJson(other, true);
}

/** Whether a part of JSON is an object. A number is not, although it is a NumberValue, which keeps all digits. */
export function isObject(value: unknown): value is Record<string, unknown> {
  const isPlain = typeof value === 'object' && value !== null && !(value instanceof NumberValue);
  return isPlain && !Array.isArray(value);
}

/**
 * Reads an attribute in DynamoDB's own JSON; undefined if the JSON is no attribute. It does not refuse everything
 * that DynamoDB refuses, such as a set with a value twice.
 */
export function attributeOf(json: unknown): AttributeValue | undefined {
  if (!isObject(json)) return undefined;
  const [[type = '', content] = [], ...others] = Object.entries(json);
  const value = contentOf(type, content);
  return value === undefined || others.length > 0 ? undefined : ({ [type]: value } as never);
}

function contentOf(type: string, content: unknown): unknown {
  if (type === 'BOOL' && typeof content === 'boolean') return content;
  if (type === 'NULL' && content === true) return content;
  if (type === 'L') return allOf(content, attributeOf);
  if (type === 'M' && isObject(content)) {
    const values = allOf(Object.values(content), attributeOf);
    return values && Object.fromEntries(Object.keys(content).map((name, at) => [name, values[at]]));
  }
  if (/^[SNB]S$/.test(type)) return allOf(content, (each) => contentOf(type.charAt(0), each));
  if (typeof content !== 'string') return undefined;
  // DynamoDB does not store half of a surrogate pair, which JSON can express.
  if (type === 'S') return content.isWellFormed() ? content : undefined;
  if (type === 'N') return comparableNumber(content) && content;
  const bytes = Buffer.from(content, 'base64');
  return type === 'B' && bytes.toString('base64') === content ? new Uint8Array(bytes) : undefined;
}

/** Converts the members of a list; undefined if it is no list, or if a member cannot be converted. */
function allOf<T>(list: unknown, convert: (each: unknown) => T | undefined): T[] | undefined {
  const members = Array.isArray(list) ? list.map(convert) : [undefined];
  return members.includes(undefined) ? undefined : (members as T[]);
}

const numberForm = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/;

/**
 * A text that is the same for equal numbers; undefined if DynamoDB cannot store the number. DynamoDB stores numbers of
 * up to 38 digits, from 1E-130 to 9.99E+125.
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
