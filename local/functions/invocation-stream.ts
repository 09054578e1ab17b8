import { Readable } from 'node:stream';

// What may be under way between a function and its client: enough to keep both busy.
export const creditBytes = 262_144;

/**
 * What a streaming function writes, for the gateway to read: reading it lets the function go on.
 *
 * A reader that goes away, such as a client that closes its connection, does not stop the function,
 * as it does not on Lambda: what is written from then on is taken and thrown away.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
 */
export class InvocationStream extends Readable {
  readonly #credit: (bytes: number) => void;
  #uncreditedBytes = 0;
  #failure: Error | undefined;

  /** @param credit tells the function that so many bytes have been taken: as many more may come */
  constructor(credit: (bytes: number) => void) {
    super({ highWaterMark: creditBytes });
    this.#credit = credit;
    // Whoever reads learns of a failure through the pipeline; nobody else has to.
    this.on('error', () => {});
  }

  /** Takes what the function has written. */
  receive(data: Uint8Array): void {
    this.#uncreditedBytes += data.length;
    if (this.destroyed || this.push(data)) this.#giveCredit();
  }

  /** The function has written everything. */
  finish(): void {
    this.push(null);
  }

  /** The function has failed: the reader gets what was written before that, and then the error. */
  fail(error: Error): void {
    this.#failure = error;
    this.#breakOffWhenRead();
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the stream declares it
  override read(size?: number): any {
    const chunk = super.read(size);
    // The chunk is given to whoever called for it, and only then may the stream be destroyed.
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
