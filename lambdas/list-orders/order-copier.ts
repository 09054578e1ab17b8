import { type FieldLayout, type OrderLayout, type Words, wordBytes } from './order-layout.ts';

/**
 * How far a comparison may reach beyond the end of the data, and a copy beyond the end of an order: one
 * word. A comparison ends with the first word that differs, and the zeros behind the data differ from
 * every text.
 */
export const slackBytes = wordBytes;

/** What `read` returns for an item that is incomplete or not of the supported form. */
export const notUnderstood = -1;

const notSeen = 0;
const zeroByte = 0;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const backslash = 0x5c;
const openingBrace = 0x7b;
const closingBrace = 0x7d;
const trueWord = Buffer.from('true').readInt32LE();
const falseWord = Buffer.from('fals').readInt32LE();
const int64Digits = 19;
const greatestInt64 = Buffer.from('9223372036854775807');
/** The digits of -2^63, without the minus sign. */
const leastInt64 = Buffer.from('9223372036854775808');
/** Longer values are copied with `Buffer.copy`, which is faster for them than word by word. */
const longValueBytes = 64;

/**
 * Converts DynamoDB items to orders, such as `{"petId":{"N":"7"},"id":{"N":"1"}}` to
 * `,{"id":1,"petId":7}`. `read` finds the positions of an item's values, and `write` copies them in
 * the published order of the fields.
 *
 * The supported form of an item is: only fields of an order, each at most once and of its own type,
 * in any order, without white space. An item with a NULL, a fraction, an integer beyond int64, a nested
 * value, another attribute or an escaped name is not understood.
 *
 * Comparing and writing happen in words of eight bytes. The caller therefore has `slackBytes` of zeros
 * behind the input, a byte that JSON never contains, and room in the output for the item and
 * `slackBytes`. An order is shorter than its item.
 */
export class OrderCopier {
  private readonly layout: OrderLayout;
  private input: DataView = new DataView(new ArrayBuffer(0));
  private inputBytes: Buffer = Buffer.alloc(0);
  private output: DataView = new DataView(new ArrayBuffer(0));
  private outputBytes: Buffer = Buffer.alloc(0);
  /** The positions in the input at which each field's value begins and ends; `notSeen` for none. */
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;

  constructor(layout: OrderLayout) {
    this.layout = layout;
    this.starts = new Int32Array(layout.fields.length);
    this.ends = new Int32Array(layout.fields.length);
  }

  setInput(bytes: Buffer): void {
    this.inputBytes = bytes;
    this.input = viewOf(bytes);
  }

  setOutput(bytes: Buffer): void {
    this.outputBytes = bytes;
    this.output = viewOf(bytes);
  }

  /** Reads the item at a position. Returns the position after the item, or `notUnderstood`. */
  read(item: number): number {
    const { inputBytes: page, starts, ends } = this;
    for (let index = 0; index < starts.length; index++) starts[index] = notSeen;
    let at = item;
    do {
      const field = this.fieldAt(at + 1);
      if (field === undefined || starts[field.index] !== notSeen) return notUnderstood;
      const start = at + 1 + field.opening.length;
      const end = this.endOfValue(start, field);
      if (end === notUnderstood) return notUnderstood;
      starts[field.index] = start;
      ends[field.index] = end;
      at = end;
      if (field.type === 'integer' && page[at++] !== quote) return notUnderstood;
      if (page[at++] !== closingBrace) return notUnderstood;
    } while (page[at] === comma);
    return page[at] === closingBrace ? at + 1 : notUnderstood;
  }

  /** The digits of the id of the item that was read; empty if it has no id. */
  id(): string {
    const { index } = this.layout.idField;
    const start = this.starts[index];
    return start === notSeen ? '' : this.inputBytes.toString('latin1', start, this.ends[index]);
  }

  /** Writes the item that was read as an order. Returns the next position. */
  write(start: number): number {
    const { outputBytes, layout, starts, ends } = this;
    let to = start + 1;
    for (const { index, name } of layout.fields) {
      const from = starts[index]!;
      if (from === notSeen) continue;
      this.writeWords(to, name);
      to += name.length;
      const length = ends[index]! - from;
      this.copyValue(from, to, length);
      to += length;
    }
    outputBytes[start] = comma;
    // Every name is written with a comma before it; the brace overwrites the first of these commas.
    outputBytes[start + 1] = openingBrace;
    outputBytes[to] = closingBrace;
    return to + 1;
  }

  private fieldAt(name: number): FieldLayout | undefined {
    let field = this.layout.byLetter[this.inputBytes[name + 1]!];
    while (field !== undefined && !this.hasWords(name, field.opening)) field = field.next;
    return field;
  }

  /** Returns the position after the value, or `notUnderstood`. A string includes its last quote. */
  private endOfValue(start: number, { type }: FieldLayout): number {
    if (type === 'integer') return endOfInteger(this.inputBytes, start);
    return type === 'string' ? endOfString(this.inputBytes, start) : this.endOfBoolean(start);
  }

  private endOfBoolean(start: number): number {
    const word = this.input.getInt32(start, true);
    if (word === trueWord) return start + 4;
    // In valid JSON an `e` follows.
    return word === falseWord ? start + 5 : notUnderstood;
  }

  private hasWords(at: number, { padded, wholeCount, last, length }: Words): boolean {
    const { input } = this;
    for (let index = 0; index < wholeCount; index++) {
      if (input.getFloat64(at + wordBytes * index, true) !== padded[index]) return false;
    }
    return input.getFloat64(at + length - wordBytes, true) === last;
  }

  private writeWords(at: number, { padded }: Words): void {
    for (let index = 0; index < padded.length; index++) {
      this.output.setFloat64(at + wordBytes * index, padded[index]!, true);
    }
  }

  private copyValue(from: number, to: number, length: number): void {
    const { input, output } = this;
    if (length > longValueBytes) {
      this.inputBytes.copy(this.outputBytes, to, from, from + length);
      return;
    }
    // Only a NaN could change on its way. The bytes of UTF-8 text have none, within a value.
    for (let done = 0; done < length; done += wordBytes) {
      output.setFloat64(to + done, input.getFloat64(from + done, true), true);
    }
  }
}

/** Accepts only canonical int64s: no leading zeros, which JSON does not allow, and no `-0`. */
function endOfInteger(page: Buffer, start: number): number {
  const first = page[start] === minus ? start + 1 : start;
  let at = first;
  while (page[at]! >= zero && page[at]! <= nine) at++;
  if (at === first) return notUnderstood;
  const isCanonical = page[first] !== zero || (at === first + 1 && first === start);
  return isCanonical && isWithinInt64(page, start, first, at) ? at : notUnderstood;
}

/** @param first the position of the first digit, which is behind `start` if there is a minus */
function isWithinInt64(page: Buffer, start: number, first: number, end: number): boolean {
  if (end - first < int64Digits) return true;
  if (end - first > int64Digits) return false;
  const most = first === start ? greatestInt64 : leastInt64;
  return page.compare(most, 0, int64Digits, first, end) <= 0;
}

function endOfString(page: Buffer, start: number): number {
  for (let at = start; ; ) {
    const byte = page[at++];
    if (byte === quote) return at;
    if (byte === zeroByte) return notUnderstood;
    if (byte === backslash) at++;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
