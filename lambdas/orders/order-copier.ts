import { endOfDateTime } from './date-time.ts';
import { attributeTypes, type OrderField, orderFields } from './order-fields.ts';
import { memberName } from './order-json.ts';

/*
 * DynamoDB sends a page of items, and the client receives most of the same bytes as orders:
 *
 *   {"Items":[{"petId":{"N":"7"},"id":{"N":"1"}},{…}],"Count":2,…}
 *   ,{"id":1,"petId":7},{…}
 *
 * So an item is not parsed. The copier finds the positions of its values, and copies the values in the
 * sequence of the published fields. Digits and strings stay as they are, with all escapes. The copier writes
 * the same text as `orderToJson`, so it leaves out values that do not keep their field's rules. If the JSON of
 * an item is not as compact as DynamoDB's JSON, or if an item is longer than the room for its order, the SDK
 * and `orderToJson` convert this item and the rest of the page.
 *
 * Texts are compared and copied in words of four bytes, which takes half the time of single bytes. The
 * last word of a text ends where the text ends, so it may overlap the previous word:
 *
 *   "petId":{"N":"    is the words    "pet   Id":   {"N"   N":"
 */
const wordBytes = 4;

/**
 * Stands for a position that does not exist: of an absent value, or after a text that is not as expected. The page has
 * no byte there, so a comparison with this byte is false.
 */
const none = -1;

const quote = '"'.charCodeAt(0);
const comma = ','.charCodeAt(0);
const minus = '-'.charCodeAt(0);
const zero = '0'.charCodeAt(0);
const one = '1'.charCodeAt(0);
const nine = '9'.charCodeAt(0);
const backslash = '\\'.charCodeAt(0);
const colon = ':'.charCodeAt(0);
const space = ' '.charCodeAt(0);
const openingBrace = '{'.charCodeAt(0);
const closingBrace = '}'.charCodeAt(0);
const closingBracket = ']'.charCodeAt(0);
/** A JSON string cannot contain this text, because quotes in a string have a backslash. */
const listName = Buffer.from('"Items":[');

/** The orders that were copied from a page, and the rest of the page. */
export interface CopiedOrders {
  /** The orders, each written as `,{…}`, in the memory of the page. */
  readonly orders: Buffer;
  /** The number of items that were copied or left out. */
  readonly itemCount: number;
  /** The ids of the items that were left out because their id is not an int64. */
  readonly unlistedIds: string[];
  /** The page without these items. */
  readonly rest: Buffer;
}

/**
 * The orders are written into the memory of their page, because new memory would take 5 to 10 % more time. These free
 * bytes precede the page, so that there is room for the first order. As an order is shorter than its item, the room
 * grows with each order.
 */
const room = Buffer.alloc(1024);

/** Converts a page of items to orders. The page arrived in chunks, which stay as they are. */
export function copyOrders(chunks: readonly Buffer[]): CopiedOrders {
  const page = Buffer.concat([room, ...chunks]);
  const copier = new ItemCopier(page);
  const nameStart = page.indexOf(listName);
  const listStart = nameStart < 0 ? page.length : nameStart + listName.length;
  // A copy, because the orders overwrite these bytes.
  const beforeList = Buffer.from(page.subarray(room.length, listStart));
  const unlistedIds: string[] = [];
  let itemCount = 0;
  // Where the next item begins, and where the next order begins.
  let [itemStart, orderStart] = [listStart, 0];
  for (;;) {
    const itemEnd = copier.read(itemStart);
    // The list has ended, or the SDK has to read the rest of it.
    if (itemEnd === none || itemEnd - itemStart > itemStart - orderStart) break;
    const orderEnd = copier.write(orderStart);
    if (orderEnd === orderStart) unlistedIds.push(copier.idText());
    itemCount++;
    itemStart = page[itemEnd] === comma ? itemEnd + 1 : itemEnd;
    orderStart = orderEnd;
  }
  const rest = Buffer.concat([beforeList, page.subarray(itemStart)]);
  return { orders: page.subarray(0, orderStart), itemCount, unlistedIds, rest };
}

/** A text of at least `wordBytes`. */
interface Text {
  readonly length: number;
  readonly words: Int32Array;
}

/** A field of an order, and the position of its value in the item that was read last. */
interface CopiedField {
  readonly field: OrderField;
  /** The text before the value in an item, such as `"petId":{"N":"`. */
  readonly opening: Text;
  /** The first word of `opening`, in which most fields differ. */
  readonly firstWord: number;
  /** The text before the value in an order, such as `,"petId":`. */
  readonly name: Text;
  /** The position where the value begins, or `none`. A string includes its quotes. */
  start: number;
  /** The position after the value, or `none` if the value does not keep the field's rules. */
  end: number;
}

/** `read` finds the positions of an item's values, and `write` copies them. */
class ItemCopier {
  private readonly page: Buffer;
  private readonly words: DataView;
  private readonly fields = Object.entries(orderFields).map(copiedField);
  /** The first field, which every order has. */
  private readonly id = this.fields[0]!;

  constructor(page: Buffer) {
    this.page = page;
    this.words = new DataView(page.buffer, page.byteOffset, page.byteLength);
  }

  /**
   * Reads the item that begins at a position of the page. Returns the position after the item. Returns `none` if there
   * is no item, or if the item has white space or an escape of an ASCII character.
   */
  read(itemStart: number): number {
    const { page, fields } = this;
    if (page[itemStart] !== openingBrace) return none;
    for (const field of fields) field.start = field.end = none;
    // The brace or the comma before an attribute, and finally the brace after the last attribute.
    let at = itemStart;
    do {
      at = this.readAttribute(at + 1);
    } while (page[at] === comma);
    if (page[at] !== closingBrace) return none;
    const itemEnd = at + 1;
    return page[itemEnd] === comma || page[itemEnd] === closingBracket ? itemEnd : none;
  }

  /** The id of the item that was read, even if it is no int64; empty if it is no number. */
  idText(): string {
    const { start } = this.id;
    const end = this.page.indexOf(quote, start);
    return start === none ? '' : this.page.toString('latin1', start, end);
  }

  /**
   * Writes the item that was read as an order that begins at a position of the page. Returns the position after the
   * order. If the id is not an int64, nothing is written, and the position is returned.
   */
  write(orderStart: number): number {
    if (this.id.end === none) return orderStart;
    // Where the next text begins.
    let at = orderStart;
    for (const { start, end, name } of this.fields) {
      if (end === none) continue;
      this.writeText(at, name);
      at += name.length;
      this.copyValue(start, end, at);
      at += end - start;
    }
    this.page[at] = closingBrace;
    return at + 1;
  }

  /** Finds the value of the attribute at a position. Returns the position after the attribute. */
  private readAttribute(at: number): number {
    const found = this.fieldAt(at);
    if (found) {
      found.start = at + found.opening.length;
      const end = this.endOfValue(found);
      const closing = found.field.type === 'integer' ? end + 1 : end;
      if (end !== none && this.page[closing] === closingBrace) {
        found.end = end;
        return closing + 1;
      }
    }
    return this.endOfAttribute(at);
  }

  private fieldAt(at: number): CopiedField | undefined {
    const { page, fields } = this;
    if (at + wordBytes > page.length) return undefined;
    const word = this.words.getInt32(at, true);
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index]!;
      if (field.firstWord === word && this.hasText(at, field.opening)) return field;
    }
    return undefined;
  }

  private hasText(at: number, { length, words }: Text): boolean {
    if (at + length > this.page.length) return false;
    const last = words.length - 1;
    for (let index = 0; index < last; index++) {
      if (this.words.getInt32(at + wordBytes * index, true) !== words[index]) return false;
    }
    return this.words.getInt32(at + length - wordBytes, true) === words[last];
  }

  private writeText(at: number, { length, words }: Text): void {
    const last = words.length - 1;
    for (let index = 0; index < last; index++) {
      this.words.setInt32(at + wordBytes * index, words[index]!, true);
    }
    this.words.setInt32(at + length - wordBytes, words[last]!, true);
  }

  /** Copies whole words, and then the bytes after the last whole word. */
  private copyValue(start: number, end: number, at: number): void {
    const distance = at - start;
    let from = start;
    for (; from + wordBytes <= end; from += wordBytes) {
      this.words.setInt32(from + distance, this.words.getInt32(from, true), true);
    }
    for (; from < end; from++) this.page[from + distance] = this.page[from]!;
  }

  private endOfValue({ start, field }: CopiedField): number {
    if (field.type === 'integer') return this.endOfInteger(start);
    if (field.format === 'date-time') {
      const end = endOfDateTime(this.page, start + 1);
      return this.page[end] === quote ? end + 1 : none;
    }
    if (field.type === 'string') return this.endOfString(start);
    if (this.hasText(start, trueText)) return start + trueText.length;
    return this.hasText(start, falseText) ? start + falseText.length : none;
  }

  /** The position of the quote behind the digits of an int64 in canonical form. */
  private endOfInteger(start: number): number {
    const { page } = this;
    const first = page[start] === minus ? start + 1 : start;
    let at = first;
    while (page[at]! >= zero && page[at]! <= nine) at++;
    const digits = at - first;
    if (page[at] !== quote || digits === 0) return none;
    if (page[first] === zero) return digits === 1 && first === start ? at : none;
    const limit = first === start ? greatestInt64 : leastInt64;
    if (digits !== limit.length) return digits < limit.length ? at : none;
    // The first digit that differs decides.
    let index = 0;
    while (index < digits - 1 && page[first + index] === limit[index]) index++;
    return page[first + index]! <= limit[index]! ? at : none;
  }

  /**
   * The position after a string. If the string does not end, or has an escape of an ASCII character such as `\u002B`,
   * which DynamoDB does not write, this is the position after the page. DynamoDB does escape control characters, up to
   * `\u001F`. A string ends with the first quote that does not belong to an escape.
   */
  private endOfString(start: number): number {
    const { page } = this;
    for (let at = start + 1; at < page.length; at++) {
      const byte = page[at];
      if (byte === quote) return at + 1;
      if (byte !== backslash) continue;
      if (this.hasText(at, escapeOfAscii) && page[at + escapeOfAscii.length]! > one) break;
      at++;
    }
    return page.length;
  }

  /** The position after an attribute with any value, such as `"petId":{"NULL":true}`. */
  private endOfAttribute(start: number): number {
    const { page } = this;
    let at = this.endOfString(start);
    if (page[start] !== quote || page[at++] !== colon) return none;
    for (let depth = 0; at < page.length; at++) {
      const byte = page[at]!;
      if (byte <= space) return none;
      if (byte === quote) at = this.endOfString(at) - 1;
      else if (byte === openingBrace) depth++;
      else if (byte === closingBrace && --depth <= 0) return at + 1;
    }
    return none;
  }
}

/** The digits of the greatest int64, and of the least behind its minus. */
const greatestInt64 = Buffer.from('9223372036854775807');
const leastInt64 = Buffer.from('9223372036854775808');
const escapeOfAscii = textOf('\\u00');
const trueText = textOf('true');
const falseText = textOf('false');

function copiedField([fieldName, field]: [string, OrderField], index: number): CopiedField {
  const member = memberName(fieldName);
  const isQuoted = field.type === 'integer';
  const opening = textOf(`${member}{"${attributeTypes[field.type]}":${isQuoted ? '"' : ''}`);
  const name = textOf(`${index === 0 ? ',{' : ','}${member}`);
  return { field, opening, firstWord: opening.words[0]!, name, start: none, end: none };
}

function textOf(text: string): Text {
  const bytes = Buffer.from(text);
  const { length } = bytes;
  const words = Int32Array.from({ length: Math.ceil(length / wordBytes) }, (_, index) =>
    bytes.readInt32LE(Math.min(wordBytes * index, length - wordBytes)),
  );
  return { length, words };
}
