import { notUnderstood, OrderCopier, slackBytes } from './order-copier.ts';
import { type OrderLayout, orderLayout } from './order-layout.ts';

/*
 * DynamoDB sends a page of orders as
 *
 *   {"Count":2,"Items":[{"id":{"N":"1"},"shipDate":{"S":"…"},"complete":{"BOOL":true}},{…}],…}
 *                       ^ list                                                             ^ end
 *
 * and the client receives most of the same bytes: `"id":{"N":"1"}` becomes `"id":1`. Therefore a page
 * is neither parsed nor held in memory as a whole. Its bytes are scanned as they arrive, and the
 * values are copied. This relies on the following:
 *
 * 1. The page is valid JSON. Within a JSON string every quote is escaped by a backslash, so a string
 *    ends at the first quote without one, and `"Items":[` can only occur where the list begins.
 * 2. An item is converted only if the copier understands it and the byte after it has arrived.
 *    An item that is not understood is treated like one that is incomplete: it is kept with
 *    everything after it, and at the end of the page the SDK parses this rest.
 * 3. Digits and strings are copied byte for byte: an int64 keeps its digits, a string its escapes.
 * 4. The text before and after the list, which includes the page's `Count`, is left to the SDK.
 */

/** A page needs only a few buffers of this size, and its last one wastes little memory. */
const bufferBytes = 512 * 1024;
const maxFreeBuffers = 32;
const firstInputBytes = 32 * 1024;
const zeroByte = 0;
const comma = ','.charCodeAt(0);
const listName = Buffer.from('"Items":[');
const noBytes = Buffer.alloc(0);

/**
 * Reuses the buffers that orders are written to. Their memory is outside of JavaScript's heap, whose
 * size is what triggers garbage collection, so unused buffers would add up to dozens of megabytes.
 */
export class BufferPool {
  private readonly free: Buffer[] = [];

  /** Returns a buffer with at least the given size and with arbitrary content. */
  acquire(neededBytes: number): Buffer {
    if (neededBytes > bufferBytes) return Buffer.allocUnsafeSlow(neededBytes);
    return this.free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
  }

  /** Makes a buffer available again. @param buffer one from `acquire`, or a part of it */
  release({ buffer }: Buffer): void {
    if (buffer.byteLength === bufferBytes && this.free.length < maxFreeBuffers) {
      this.free.push(Buffer.from(buffer));
    }
  }
}

/** Tells whether an order is included in the result, given the digits of its id. */
export type KeepOrder = (id: string) => boolean;

/** Converts the body of one `Scan` response to orders. */
export class PageTranscoder {
  /** The orders, each written as `,{…}`. Complete after `finish`. */
  readonly buffers: Buffer[] = [];
  /** The number of orders in `buffers`. */
  count = 0;
  /** The number of items that were converted or that `keep` left out. */
  itemCount = 0;
  private readonly pool: BufferPool;
  private readonly keep: KeepOrder | undefined;
  private readonly copier: OrderCopier;

  /** The bytes that have arrived and are not converted yet, followed by `slackBytes` zeros. */
  private input: Buffer = noBytes;
  private inputLength = 0;
  /** The length at which to read the input again, so that a long item is not read on every chunk. */
  private nextTryLength = 0;
  /** The text before the first item, once it has arrived. */
  private head: Buffer | undefined;

  /** The buffer that orders are written to. */
  private output: Buffer = noBytes;
  /** The position in `output` of the next order. */
  private outputLength = 0;

  /** @param keep all orders are included without it */
  constructor(pool: BufferPool, keep?: KeepOrder, layout: OrderLayout = orderLayout) {
    this.pool = pool;
    this.keep = keep;
    this.copier = new OrderCopier(layout);
    this.setInput(Buffer.allocUnsafe(firstInputBytes + slackBytes));
  }

  /** Adds the next part of the body. The caller may reuse its memory afterwards. */
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

  /** Returns the rest of the body for the SDK: everything but the items that were read. */
  finish(): Buffer {
    if (this.head) this.drop(this.copyOrders());
    this.finishBuffer();
    return Buffer.concat([this.head ?? noBytes, this.input.subarray(0, this.inputLength)]);
  }

  private append(chunk: Buffer): void {
    const { input, inputLength } = this;
    const length = inputLength + chunk.length;
    if (length + slackBytes > input.length) {
      this.setInput(Buffer.concat([input.subarray(0, inputLength)], 2 * length));
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
    this.input.copyWithin(0, length, this.inputLength + slackBytes);
    this.inputLength -= length;
  }

  /** Returns the position of the first item that is incomplete or not understood. */
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
    this.makeRoom(itemBytes + slackBytes);
    this.outputLength = this.copier.write(this.outputLength);
    this.count++;
  }

  private makeRoom(length: number): void {
    if (this.outputLength + length <= this.output.length) return;
    this.finishBuffer();
    this.output = this.pool.acquire(length);
    this.copier.setOutput(this.output);
  }

  private finishBuffer(): void {
    if (this.outputLength > 0) this.buffers.push(this.output.subarray(0, this.outputLength));
    this.output = noBytes;
    this.outputLength = 0;
  }
}
