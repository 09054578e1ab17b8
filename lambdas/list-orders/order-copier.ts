import type { FieldLayout, OrderLayout, Words } from './order-layout.ts';

/** What `read` returns for an item that is incomplete, or is not what an order is as a rule. */
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
const letterE = 0x65;
/** From here on, copying by words is slower than a call of the copying function. */
const longValueBytes = 64;

/**
 * Makes one order of one item: `,{"id":1,"petId":7}` of `{"petId":{"N":"7"},"id":{"N":"1"}}`. The
 * item is read first, which tells where its values are; then they are written in published order.
 *
 * Understood are the fields of an order, each at most once and of its own type, in any order and
 * without any space. Anything else that there may be, such as a NULL, a fraction, a nested value,
 * another name or an escaped one, is not.
 *
 * After its end the input has `slackBytes` of zeros, and the output as many bytes of anything: four
 * bytes are compared and written at once. No JSON has a byte that is zero.
 */
export class OrderCopier {
  private readonly layout: OrderLayout;
  private input: DataView = new DataView(new ArrayBuffer(0));
  private inputBytes: Buffer = Buffer.alloc(0);
  private output: DataView = new DataView(new ArrayBuffer(0));
  private outputBytes: Buffer = Buffer.alloc(0);
  /** Where in the input each field's value begins and ends. None begins at 0. */
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

  /** Reads the item that begins at a position. Returns the position after it, or `notUnderstood`. */
  read(item: number): number {
    const { inputBytes: page, starts, ends } = this;
    if (page[item] !== openingBrace) return notUnderstood;
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

  /** The digits of the id of the order that was read; none where it has no id. */
  id(): string {
    const { index } = this.layout.idField;
    const start = this.starts[index];
    return start === notSeen ? '' : this.inputBytes.toString('latin1', start, this.ends[index]);
  }

  /** Writes the order that was read. Returns the position after it; it is no longer than its item. */
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
    // Every name is written with a comma before it; the first one's makes way for the brace.
    outputBytes[start + 1] = openingBrace;
    outputBytes[to] = closingBrace;
    return to + 1;
  }

  private fieldAt(name: number): FieldLayout | undefined {
    let field = this.layout.byLetter[this.inputBytes[name + 1]!];
    while (field !== undefined && !this.hasWords(name, field.opening)) field = field.next;
    return field;
  }

  /** Returns the position after the value. The quote that ends a string belongs to it. */
  private endOfValue(start: number, { type }: FieldLayout): number {
    if (type === 'integer') return endOfInteger(this.inputBytes, start);
    return type === 'string' ? endOfString(this.inputBytes, start) : this.endOfBoolean(start);
  }

  private endOfBoolean(start: number): number {
    const word = this.input.getInt32(start, true);
    if (word === trueWord) return start + 4;
    return word === falseWord && this.inputBytes[start + 4] === letterE ? start + 5 : notUnderstood;
  }

  private hasWords(at: number, { padded, wholeCount, last, length }: Words): boolean {
    const { input } = this;
    for (let index = 0; index < wholeCount; index++) {
      if (input.getInt32(at + 4 * index, true) !== padded[index]) return false;
    }
    return input.getInt32(at + length - 4, true) === last;
  }

  private writeWords(at: number, { padded }: Words): void {
    for (let index = 0; index < padded.length; index++) {
      this.output.setInt32(at + 4 * index, padded[index]!, true);
    }
  }

  private copyValue(from: number, to: number, length: number): void {
    const { input, output } = this;
    if (length > longValueBytes) {
      this.inputBytes.copy(this.outputBytes, to, from, from + length);
      return;
    }
    for (let done = 0; done < length; done += 4) {
      output.setInt32(to + done, input.getInt32(from + done, true), true);
    }
  }
}

/** JSON knows no leading zeros, and an integer has no `-0`. */
function endOfInteger(page: Buffer, start: number): number {
  const first = page[start] === minus ? start + 1 : start;
  let at = first;
  while (page[at]! >= zero && page[at]! <= nine) at++;
  if (at === first) return notUnderstood;
  const isCanonical = page[first] !== zero || (at === first + 1 && first === start);
  return isCanonical ? at : notUnderstood;
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
