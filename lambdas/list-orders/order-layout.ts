import { attributeTypes, type OrderField, orderFields } from '../shared/order-fields.ts';

/** The bytes before the value of one field, in DynamoDB's page and in the order that is sent. */
export interface FieldLayout {
  /** The position of the field in an order, from 0. */
  readonly index: number;
  readonly type: OrderField['type'];
  /** The text before the value in a page, such as `"id":{"N":"`. */
  readonly opening: Words;
  /** The text before the value in an order, such as `,"id":`. */
  readonly name: Words;
  /** The next field whose name begins with the same letter. */
  readonly next: FieldLayout | undefined;
}

/**
 * An ASCII text as words of eight bytes, which are compared and written at once. They are floating-point
 * numbers, because those are the only words of this size that JavaScript keeps in a register. None of
 * them is 0 or NaN, which would be equal to other bytes or not even to themselves: the bytes of a text
 * in ASCII have no such numbers.
 */
export interface Words {
  /** All words; the last one is padded with spaces if the length is not a multiple of eight. */
  readonly padded: Float64Array;
  /** How many words at the beginning have no padding. */
  readonly wholeCount: number;
  /** The last eight bytes of the text as a word. */
  readonly last: number;
  /** The length of the text in bytes. */
  readonly length: number;
}

/** How the fields of an order are found in a page and written to an order. */
export interface OrderLayout {
  /** The fields in the order in which they are published. */
  readonly fields: readonly FieldLayout[];
  /** The first field for each first letter of a name, by character code; see `FieldLayout.next`. */
  readonly byLetter: readonly (FieldLayout | undefined)[];
  readonly idField: FieldLayout;
}

/**
 * A name without JSON escapes or multi-byte characters. It does not begin with a digit, because
 * JavaScript would move a property like `1` to the front of its object.
 */
const plainName = /^[A-Za-z_][0-9A-Za-z_]*$/;
/** The number of bytes that are compared and written at once. */
export const wordBytes = 8;

/**
 * @param fields with an integer `id`, by which orders are told apart
 * @throws TypeError naming a field that `OrderCopier` cannot copy, and the reason
 */
export function createOrderLayout(fields: Readonly<Record<string, OrderField>>): OrderLayout {
  const byLetter: (FieldLayout | undefined)[] = Array.from({ length: 256 });
  const layouts = Object.entries(fields).map(([name, { type }], index) => {
    const letter = name.charCodeAt(0);
    const layout = { ...fieldLayout(name, type, index), next: byLetter[letter] };
    byLetter[letter] = layout;
    return layout;
  });
  const idField = layouts[Object.keys(fields).indexOf('id')]!;
  return { fields: layouts, byLetter, idField };
}

/** The layout of the service's orders. */
export const orderLayout = createOrderLayout(orderFields);

function fieldLayout(name: string, type: OrderField['type'], index: number) {
  if (!plainName.test(name)) {
    throw new TypeError(
      `${name}: the list takes names of ASCII letters, digits and _ alone, which do not begin with a digit.`,
    );
  }
  const opening = words(`"${name}":{"${attributeTypes[type]}":${type === 'boolean' ? '' : '"'}`);
  return { index, type, opening, name: words(`,"${name}":${type === 'string' ? '"' : ''}`) };
}

/** @param text at least `wordBytes` long, or else without a `last` word to compare */
function words(text: string): Words {
  const wordCount = Math.ceil(text.length / wordBytes);
  return {
    padded: wordsOf(text.padEnd(wordBytes * wordCount)),
    wholeCount: Math.floor(text.length / wordBytes),
    last: wordsOf(text.slice(-wordBytes).padEnd(wordBytes))[0]!,
    length: text.length,
  };
}

function wordsOf(text: string): Float64Array {
  const bytes = Buffer.from(text);
  return Float64Array.from({ length: bytes.length / wordBytes }, (_, index) =>
    bytes.readDoubleLE(wordBytes * index),
  );
}
