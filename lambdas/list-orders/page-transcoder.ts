import { orderFields } from './order-json.ts';
import type { PiecePool } from './piece-pool.ts';

/*
 * DynamoDB sends a page of orders as
 *
 *   {"Count":2,"Items":[{"id":{"N":"1"},"shipDate":{"S":"…"},"complete":{"BOOL":true}},{…}],…}
 *                       ^ list                                                             ^ end
 *
 * and the client gets most of the same bytes: `"id":{"N":"1"}` becomes `"id":1`. So a page is
 * neither decoded nor parsed, nor ever in memory as a whole: one pass over its bytes, as they
 * arrive, copies those that stay.
 *
 * 1. The page is JSON, because DynamoDB made it. Inside a string of JSON every quote has a backslash
 *    before it; so a string ends at the first quote without one, and `"Items":[` can only be where
 *    the list of orders begins.
 * 2. Understood are the five fields of an order, each at most once, of type N (digits of an integer),
 *    S or BOOL, without any space; `id` of type N. Anything else that there may be, such as a NULL, a
 *    fraction, a nested value, another name or an escaped one, is not.
 * 3. An item counts only when it and the byte after it are there; what had been written of it is
 *    written again. So an item that is not understood looks like one that has not arrived yet:
 *    everything from it on is kept, and when the page ends, the SDK parses that as it always does.
 * 4. Digits and strings are copied byte for byte: an int64 keeps its digits, a string its escapes.
 * 5. An order is never longer than the item it is made of, so there is room for it. Four bytes are
 *    compared and written at once: a write may go beyond an order's end, by less than `slackBytes`.
 */

const slackBytes = 32;
/** Room for the longest name, in whole words. */
const nameBytes = 16;
const firstInputBytes = 32 * 1024;

/** Sees the digits of an order's id and says whether the order belongs to the result. */
export type KeepOrder = (bytes: Uint8Array, start: number, end: number) => boolean;

/** The bytes around a value of one field and type, before and after. */
class Wrapping {
  /** Such as `"id":{"N":"`, in words of four bytes, the last of which may overlap. */
  readonly opening: Int32Array;
  readonly lastWord: number;
  readonly length: number;
  /** What stands for it in the output, such as `,"id":`. */
  readonly name: Int32Array;
  readonly nameLength: number;

  constructor(field: string, type: 'N' | 'S' | 'BOOL') {
    const opening = `"${field}":{"${type}":${type === 'BOOL' ? '' : '"'}`;
    this.opening = words(opening);
    this.lastWord = words(opening.slice(-4))[0]!;
    this.length = opening.length;
    const name = `,"${field}":${type === 'S' ? '"' : ''}`;
    this.name = words(name.padEnd(nameBytes));
    this.nameLength = name.length;
  }
}

const zeroByte = 0;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const letterN = 0x4e;
const letterS = 0x53;
const backslash = 0x5c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const trueBytes = Buffer.from('true');
const falseBytes = Buffer.from('false');
const listName = Buffer.from('"Items":[');
const noBytes = Buffer.alloc(0);
const notUnderstood = -1;

const numbers = orderFields.map((field) => new Wrapping(field, 'N'));
const strings = orderFields.map((field) => new Wrapping(field, 'S'));
const booleans = orderFields.map((field) => new Wrapping(field, 'BOOL'));
const idField = orderFields.indexOf('id');
/** By the first letter of the name: the five differ in it, so that it tells which one it must be. */
const fieldOfLetter = new Int8Array(256).fill(notUnderstood);
/** Where the type's letter is, counted from the name's first quote. */
const typePosition = Int32Array.from(orderFields, (field) => `"${field}":{"`.length);
for (const [index, field] of orderFields.entries()) fieldOfLetter[field.charCodeAt(0)] = index;

/** Makes orders of the body of one `Scan` answer. */
export class PageTranscoder {
  /** The orders so far, each as `,{…}`. Complete after `finish`. */
  readonly pieces: Buffer[] = [];
  /** How many orders there are in `pieces`. */
  count = 0;
  private readonly pool: PiecePool;
  private readonly keep: KeepOrder | undefined;

  /** What has arrived and has not become an order yet, and then some zeros. */
  private input: Buffer = Buffer.allocUnsafe(firstInputBytes);
  private inputView = viewOf(this.input);
  private inputLength = 0;
  /** One long item is not looked at anew with each chunk of it. */
  private nextTryLength = 0;
  /** What stands before the first item, once that is known. */
  private head: Buffer | undefined;

  /** The piece that is being written. */
  private output: Buffer = noBytes;
  private outputView = viewOf(noBytes);
  /** Where the next order is written. */
  private to = 0;
  private idStart = 0;
  private idEnd = 0;

  /** @param pool where the pieces come from, and go to when they have been sent */
  constructor(pool: PiecePool, keep?: KeepOrder) {
    this.pool = pool;
    this.keep = keep;
  }

  /** Takes the next part of the body, which is not needed any more when this returns. */
  push(chunk: Buffer): void {
    this.append(chunk);
    if (!this.head) {
      const name = this.input.subarray(0, this.inputLength).indexOf(listName);
      if (name < 0) return;
      this.head = Buffer.from(this.input.subarray(0, name + listName.length));
      this.drop(this.head.length);
    }
    if (this.inputLength < this.nextTryLength) return;
    const copied = this.copyOrders();
    this.nextTryLength = copied === 0 ? 2 * this.inputLength : 0;
    this.drop(copied);
  }

  /** Returns the body without the orders that are in `pieces`, for the SDK to parse. */
  finish(): Buffer {
    if (this.head) this.drop(this.copyOrders());
    this.endPiece();
    return Buffer.concat([this.head ?? noBytes, this.input.subarray(0, this.inputLength)]);
  }

  private append(chunk: Buffer): void {
    const length = this.inputLength + chunk.length;
    if (length + slackBytes > this.input.length) {
      this.input = Buffer.concat(
        [this.input.subarray(0, this.inputLength)],
        2 * length + slackBytes,
      );
      this.inputView = viewOf(this.input);
    }
    chunk.copy(this.input, this.inputLength);
    this.inputLength = length;
    this.input.fill(0, length, length + slackBytes);
  }

  private drop(length: number): void {
    this.input.copyWithin(0, length, this.inputLength + slackBytes);
    this.inputLength -= length;
  }

  /** Returns where the first item begins that is not copied: incomplete, or not understood. */
  private copyOrders(): number {
    const { input } = this;
    let item = 0;
    for (;;) {
      this.makeRoom(this.inputLength - item + slackBytes);
      const start = this.to;
      const end = this.copyOrder(item);
      if (end === notUnderstood || input[end] === zeroByte) {
        this.to = start;
        return item;
      }
      if (!this.keep || this.keep(this.output, this.idStart, this.idEnd)) this.count++;
      else this.to = start;
      if (input[end] !== comma) return end;
      item = end + 1;
    }
  }

  private makeRoom(length: number): void {
    if (this.to + length <= this.output.length) return;
    this.endPiece();
    this.output = this.pool.take(length);
    this.outputView = viewOf(this.output);
  }

  private endPiece(): void {
    if (this.to > 0) this.pieces.push(this.output.subarray(0, this.to));
    else this.pool.giveBack(this.output);
    this.output = noBytes;
    this.to = 0;
  }

  /** Returns the position after the item. */
  private copyOrder(item: number): number {
    const { input: page, output } = this;
    if (page[item] !== openingBrace) return notUnderstood;
    const brace = this.to + 1;
    let from = item;
    let to = this.to;
    let seen = 0;
    this.idStart = this.idEnd = 0;
    output[to++] = comma;
    do {
      const name = from + 1;
      const field = fieldOfLetter[page[name + 1]!]!;
      if (!(field >= 0) || seen & (1 << field)) return notUnderstood;
      seen |= 1 << field;
      const type = page[name + typePosition[field]!]!;
      const wrapping = wrappingOf(field, type);
      if (!this.hasOpening(name, wrapping)) return notUnderstood;
      this.writeName(to, wrapping);
      to += wrapping.nameLength;
      const value = name + wrapping.length;
      from = copyValue(page, value, output, to, type);
      if (from === notUnderstood) return notUnderstood;
      if (field === idField) {
        if (type !== letterN) return notUnderstood;
        this.idStart = to;
        this.idEnd = to + from - value;
      }
      to += from - value;
      if (type === letterN && page[from++] !== quote) return notUnderstood;
      if (page[from++] !== closingBrace) return notUnderstood;
    } while (page[from] === comma);
    if (page[from] !== closingBrace) return notUnderstood;
    // Every name is written with a comma before it; the first one's is the opening brace.
    output[brace] = openingBrace;
    output[to] = closingBrace;
    this.to = to + 1;
    return from + 1;
  }

  private hasOpening(at: number, { opening, lastWord, length }: Wrapping): boolean {
    const { inputView } = this;
    for (let index = 0; index < opening.length; index++) {
      if (inputView.getInt32(at + 4 * index, true) !== opening[index]) return false;
    }
    return inputView.getInt32(at + length - 4, true) === lastWord;
  }

  private writeName(at: number, { name }: Wrapping): void {
    for (let index = 0; index < name.length; index++) {
      this.outputView.setInt32(at + 4 * index, name[index]!, true);
    }
  }
}

function wrappingOf(field: number, type: number): Wrapping {
  if (type === letterN) return numbers[field]!;
  return type === letterS ? strings[field]! : booleans[field]!;
}

/** Copies a value without what is around it; returns the position after it. */
function copyValue(page: Buffer, from: number, output: Buffer, to: number, type: number): number {
  if (type === letterN) return copyInteger(page, from, output, to);
  return type === letterS
    ? copyString(page, from, output, to)
    : copyBoolean(page, from, output, to);
}

/** JSON knows no leading zeros, and an integer has no `-0`. */
function copyInteger(page: Buffer, start: number, output: Buffer, to: number): number {
  let from = start;
  let byte = page[from]!;
  if (byte === minus) {
    output[to++] = byte;
    byte = page[++from]!;
  }
  const first = from;
  while (byte >= zero && byte <= nine) {
    output[to++] = byte;
    byte = page[++from]!;
  }
  if (from === first) return notUnderstood;
  const isCanonical = page[first] !== zero || (from === first + 1 && first === start);
  return isCanonical ? from : notUnderstood;
}

/** The quote that ends a string belongs to it. */
function copyString(page: Buffer, from: number, output: Buffer, to: number): number {
  for (;;) {
    const byte = page[from++]!;
    if (byte === zeroByte) return notUnderstood;
    output[to++] = byte;
    if (byte === quote) return from;
    if (byte === backslash) output[to++] = page[from++]!;
  }
}

function copyBoolean(page: Buffer, from: number, output: Buffer, to: number): number {
  const value = page[from] === trueBytes[0] ? trueBytes : falseBytes;
  for (let index = 0; index < value.length; index++) {
    if (page[from + index] !== value[index]) return notUnderstood;
    output[to + index] = value[index]!;
  }
  return from + value.length;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** A text's bytes, four in a word; what is left over at its end is not in it. */
function words(text: string): Int32Array {
  const view = viewOf(Buffer.from(text));
  return Int32Array.from({ length: text.length >> 2 }, (_, index) =>
    view.getInt32(4 * index, true),
  );
}
