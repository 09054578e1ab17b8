import { notUnderstood, OrderCopier } from './order-copier.ts';
import { type OrderLayout, orderLayout } from './order-layout.ts';
import type { PiecePool } from './piece-pool.ts';

/*
 * DynamoDB sends a page of orders as
 *
 *   {"Count":2,"Items":[{"id":{"N":"1"},"shipDate":{"S":"…"},"complete":{"BOOL":true}},{…}],…}
 *                       ^ list                                                             ^ end
 *
 * and the client gets most of the same bytes: `"id":{"N":"1"}` becomes `"id":1`. So a page is
 * neither decoded nor parsed, nor ever in memory as a whole: its bytes are looked at as they arrive,
 * and those that stay are copied.
 *
 * 1. The page is JSON, because DynamoDB made it. Inside a string of JSON every quote has a backslash
 *    before it; so a string ends at the first quote without one, and `"Items":[` can only be where
 *    the list of orders begins.
 * 2. An item counts only when the copier understands it and the byte after it is there. So an item
 *    that is not understood looks like one that has not arrived yet: everything from it on is kept,
 *    and when the page ends, the SDK parses that as it always does.
 * 3. Digits and strings are copied byte for byte: an int64 keeps its digits, a string its escapes.
 * 4. What stands before and after the list, the page's `Count` among it, is left to the SDK.
 */

const firstInputBytes = 32 * 1024;
const zeroByte = 0;
const comma = ','.charCodeAt(0);
const listName = Buffer.from('"Items":[');
const noBytes = Buffer.alloc(0);

/** Sees the digits of an order's id and says whether the order belongs to the result. */
export type KeepOrder = (id: string) => boolean;

/** Makes orders of the body of one `Scan` answer. */
export class PageTranscoder {
  /** The orders so far, each as `,{…}`. Complete after `finish`. */
  readonly pieces: Buffer[] = [];
  /** How many orders there are in `pieces`. */
  count = 0;
  /** How many items have been read: those orders and the ones that were not kept. */
  itemCount = 0;
  private readonly pool: PiecePool;
  private readonly keep: KeepOrder | undefined;
  private readonly copier: OrderCopier;
  private readonly slackBytes: number;

  /** What has arrived and has not become an order yet, and then some zeros. */
  private input: Buffer = noBytes;
  private inputLength = 0;
  /** One long item is not looked at anew with each chunk of it. */
  private nextTryLength = 0;
  /** What stands before the first item, once that is known. */
  private head: Buffer | undefined;

  /** The piece that is being written. */
  private output: Buffer = noBytes;
  /** Where the next order is written. */
  private to = 0;

  /** @param pool where the pieces come from, and go to when they have been sent */
  constructor(pool: PiecePool, keep?: KeepOrder, layout: OrderLayout = orderLayout) {
    this.pool = pool;
    this.keep = keep;
    this.copier = new OrderCopier(layout);
    this.slackBytes = layout.slackBytes;
    this.setInput(Buffer.allocUnsafe(firstInputBytes + layout.slackBytes));
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

  /** Returns the body without the items that have been read, for the SDK to parse. */
  finish(): Buffer {
    if (this.head) this.drop(this.copyOrders());
    this.endPiece();
    return Buffer.concat([this.head ?? noBytes, this.input.subarray(0, this.inputLength)]);
  }

  private append(chunk: Buffer): void {
    const { input, inputLength, slackBytes } = this;
    const length = inputLength + chunk.length;
    if (length + slackBytes > input.length) {
      this.setInput(Buffer.concat([input.subarray(0, inputLength)], 2 * length + slackBytes));
    }
    chunk.copy(this.input, inputLength);
    this.inputLength = length;
    this.input.fill(zeroByte, length, length + slackBytes);
  }

  private setInput(input: Buffer): void {
    this.input = input;
    this.copier.setInput(input);
  }

  private drop(length: number): void {
    this.input.copyWithin(0, length, this.inputLength + this.slackBytes);
    this.inputLength -= length;
  }

  /** Returns where the first item begins that is not read: incomplete, or not understood. */
  private copyOrders(): number {
    const { input, copier } = this;
    let item = 0;
    for (;;) {
      const end = copier.read(item);
      if (end === notUnderstood || input[end] === zeroByte) return item;
      this.itemCount++;
      if (!this.keep || this.keep(copier.id())) this.writeOrder(end - item);
      if (input[end] !== comma) return end;
      item = end + 1;
    }
  }

  /** Writes the order that the copier has read. @param itemBytes the length of its item */
  private writeOrder(itemBytes: number): void {
    this.makeRoom(itemBytes + this.slackBytes);
    this.to = this.copier.write(this.to);
    this.count++;
  }

  private makeRoom(length: number): void {
    if (this.to + length <= this.output.length) return;
    this.endPiece();
    this.output = this.pool.take(length);
    this.copier.setOutput(this.output);
  }

  private endPiece(): void {
    if (this.to > 0) this.pieces.push(this.output.subarray(0, this.to));
    else this.pool.giveBack(this.output);
    this.output = noBytes;
    this.to = 0;
  }
}
