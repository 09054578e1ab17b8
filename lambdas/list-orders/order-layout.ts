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

/** An ASCII text as little-endian words of four bytes, which are compared and written at once. */
export interface Words {
  /** All words; the last one is padded with spaces if the length is not a multiple of four. */
  readonly padded: Int32Array;
  /** How many words at the beginning have no padding. */
  readonly wholeCount: number;
  /** The last four bytes of the text as a word. */
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
const wordBytes = 4;

/** @throws TypeError naming a field that `OrderCopier` cannot copy, and the reason */
export function createOrderLayout(fields: Readonly<Record<string, OrderField>>): OrderLayout {
  if (fields.id?.type !== 'integer') {
    throw new TypeError('id: an order needs an integer of this name, by which it is told apart.');
  }
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
  const attributeType = attributeTypes[type];
  if (attributeType === undefined) {
    throw new TypeError(
      `${name}: the list cannot copy a value of type ${type}, only ${Object.keys(attributeTypes).join(', ')}.`,
    );
  }
  const opening = words(`"${name}":{"${attributeType}":${type === 'boolean' ? '' : '"'}`);
  return { index, type, opening, name: words(`,"${name}":${type === 'string' ? '"' : ''}`) };
}

function words(text: string): Words {
  const wholeCount = Math.floor(text.length / wordBytes);
  const paddedLength = wordBytes * Math.ceil(text.length / wordBytes);
  return {
    padded: littleEndian(text.padEnd(paddedLength)),
    wholeCount,
    last: littleEndian(text.slice(-wordBytes))[0]!,
    length: text.length,
  };
}

function littleEndian(text: string): Int32Array {
  const bytes = Buffer.from(text);
  return Int32Array.from({ length: bytes.length / wordBytes }, (_, index) =>
    bytes.readInt32LE(wordBytes * index),
  );
}
