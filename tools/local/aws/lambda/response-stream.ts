import { Readable, Writable } from 'node:stream';

/** A handler. Its parameters are an event and a context or, if it streams, an event, a stream and a context. */
export type Handler = ((...parameters: unknown[]) => unknown) & { [streaming]?: true };

const streaming = Symbol('streaming handler');
const delimiter = Buffer.alloc(8);

/** The global variable of Lambda's runtime for Node. */
export const awslambda = {
  streamifyResponse: (handler: Handler) => Object.assign(handler, { [streaming]: true as const }),
  HttpResponseStream: {
    from: (stream: ResponseStream, metadata: object) => {
      stream.prelude = Buffer.concat([Buffer.from(JSON.stringify(metadata)), delimiter]);
      return stream;
    },
  },
};

/** Whether a handler was made by `awslambda.streamifyResponse`. */
export function isStreaming(handler: Handler): boolean {
  return handler[streaming] === true;
}

/** The stream of a streaming handler. A chunk counts as written when the reader asks for the next chunk. */
export class ResponseStream extends Writable {
  /** The beginning of the first chunk. Like in Lambda's runtime, it is not sent without a chunk. */
  prelude = Buffer.alloc(0);
  readonly readable: Readable;
  readonly #onStart: () => void;
  #chunkWritten = () => {};

  /** @param onStart called when there is something to read, and possibly later */
  constructor(onStart: () => void) {
    super();
    this.#onStart = onStart;
    this.readable = new Readable({
      read: () => this.#chunkWritten(),
      destroy: (error, done) => {
        this.#chunkWritten();
        done(error);
      },
    });
    // The handler's failure is reported, so the same error of its stream is ignored. The readable may have no reader.
    for (const stream of [this, this.readable]) stream.on('error', () => {});
  }

  /** Breaks the stream, so that its reader sees that it is incomplete. */
  abort(reason: string): void {
    this.readable.destroy(new Error(reason));
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#onStart();
    // Like on Lambda, the function continues when its reader has left.
    if (this.readable.destroyed) {
      done();
      return;
    }
    this.#chunkWritten = () => {
      this.#chunkWritten = () => {};
      done();
    };
    // A copy, because the handler may use its buffer again before the connection has sent it.
    this.readable.push(Buffer.concat([this.prelude, chunk]));
    this.prelude = Buffer.alloc(0);
  }

  override _final(done: () => void): void {
    this.#onStart();
    this.readable.push(null);
    done();
  }
}
