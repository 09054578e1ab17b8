import { attributeTypes, type OrderField, orderFields } from '../shared/order-fields.ts';

/** The bytes around the value of one field, in a page and in an order. */
export interface FieldLayout {
  /** Place among the fields of an order, from 0. */
  readonly index: number;
  readonly type: OrderField['type'];
  /** What a page has before the value, such as `"id":{"N":"`. */
  readonly opening: Words;
  /** What an order has before the value, such as `,"id":`. */
  readonly name: Words;
  /** Another field whose name begins with the same letter. */
  readonly next: FieldLayout | undefined;
}

/** A text as words of four bytes, to compare and write several bytes at once. */
export interface Words {
  /** The last one ends with bytes that are not the text's where its length is no multiple of four. */
  readonly padded: Int32Array;
  /** The whole words at the beginning. */
  readonly wholeCount: number;
  /** The last four bytes. */
  readonly last: number;
  /** In bytes. */
  readonly length: number;
}

/** All that the list must know of an order's fields to find and write them. */
export interface OrderLayout {
  /** In the order in which they are published. */
  readonly fields: readonly FieldLayout[];
  /** By the first letter of their names. */
  readonly byLetter: readonly (FieldLayout | undefined)[];
  readonly idField: FieldLayout;
  /** How far beyond the end of a text its comparison and writing may reach. */
  readonly slackBytes: number;
}

/** Such a name looks the same in JSON, in UTF-8 and in an object of JavaScript, and keeps its place. */
const plainName = /^[A-Za-z_][0-9A-Za-z_]*$/;
const wordBytes = 4;

/** @throws TypeError naming a field that the list cannot copy, and why */
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
  const longest = Math.max(...layouts.map(({ opening }) => opening.length));
  const idField = layouts[Object.keys(fields).indexOf('id')]!;
  return { fields: layouts, byLetter, idField, slackBytes: longest + wordBytes };
}

/** The layout of the orders that the service has. */
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
