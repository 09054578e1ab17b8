import { Readable } from 'node:stream';

// What may be under way between a function and its client: enough to keep both busy.
export const creditBytes = 262_144;

/** The function's end of the stream, as the reader's end sees it. */
export interface StreamSource {
  /** The reader has taken so many bytes: as many more may come. */
  credit(bytes: number): void;
  /** The reader has gone away. */
  abort(): void;
}

/** What a streaming function writes, for the gateway to read: reading it lets the function go on. */
export class InvocationStream extends Readable {
  readonly #source: StreamSource;
  #uncreditedBytes = 0;

  constructor(source: StreamSource) {
    super({ highWaterMark: creditBytes });
    this.#source = source;
    // Whoever reads learns of a failure through the pipeline; nobody else has to.
    this.on('error', () => {});
  }

  /** Takes what the function has written. */
  receive(data: Uint8Array): void {
    this.#uncreditedBytes += data.length;
    if (this.push(data)) this.#giveCredit();
  }

  /** The function has written everything. */
  finish(): void {
    this.push(null);
  }

  override _read(): void {
    this.#giveCredit();
  }

  // A reader that goes away, such as a client that closes its connection, ends the function's
  // stream as well: it is what lets the function stop its work.
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.readableEnded) this.#source.abort();
    callback(error);
  }

  #giveCredit(): void {
    if (this.#uncreditedBytes === 0) return;
    this.#source.credit(this.#uncreditedBytes);
    this.#uncreditedBytes = 0;
  }
}
