import { Readable } from 'node:stream';

/** The bytes that a function may send before its reader has read any: enough to keep both busy. */
export const creditBytes = 262_144;

/**
 * The output of a streaming function. Reading it gives the function credit to write more.
 *
 * As on Lambda, a reader that goes away, such as a client that disconnects, does not stop the
 * function: everything that it writes afterwards is discarded.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
 */
export class InvocationStream extends Readable {
  readonly #credit: (bytes: number) => void;
  #uncreditedBytes = 0;
  #failure: Error | undefined;

  /** @param credit allows the function to send as many bytes more as have been read */
  constructor(credit: (bytes: number) => void) {
    super({ highWaterMark: creditBytes });
    this.#credit = credit;
    // The pipeline reports an error to the reader. Without a reader, it must not be thrown.
    this.on('error', () => {});
  }

  /** Adds bytes that the function has written. */
  receive(data: Uint8Array): void {
    this.#uncreditedBytes += data.length;
    if (this.destroyed || this.push(data)) this.#giveCredit();
  }

  /** Ends the stream after the function has written everything. */
  finish(): void {
    this.push(null);
  }

  /** Fails the stream. The reader gets everything that was written before, and then the error. */
  fail(error: Error): void {
    this.#failure = error;
    this.#breakOffWhenRead();
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the stream declares it
  override read(size?: number): any {
    const chunk = super.read(size);
    // The stream is destroyed only after the caller has received the chunk.
    if (this.#failure) process.nextTick(() => this.#breakOffWhenRead());
    return chunk;
  }

  override _read(): void {
    this.#giveCredit();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#giveCredit();
    callback(error);
  }

  #breakOffWhenRead(): void {
    if (this.#failure && this.readableLength === 0) this.destroy(this.#failure);
  }

  #giveCredit(): void {
    if (this.#uncreditedBytes === 0) return;
    this.#credit(this.#uncreditedBytes);
    this.#uncreditedBytes = 0;
  }
}
