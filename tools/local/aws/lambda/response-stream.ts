import { Transform, type TransformCallback } from 'node:stream';

/**
 * A function's handler. Its parameters are an event and a context or, if it streams, an event, a stream and a context.
 */
export type Handler = (...parameters: unknown[]) => unknown;

/** The handlers that were made by `awslambda.streamifyResponse`. */
export const streamingHandlers = new WeakSet<Handler>();
const delimiter = Buffer.alloc(8);

/** The global variable of Lambda's runtime for Node. */
export const awslambda = {
  streamifyResponse: (handler: Handler) => {
    streamingHandlers.add(handler);
    return handler;
  },
  HttpResponseStream: {
    from: (stream: ResponseStream, metadata: object) => {
      stream.prelude = Buffer.concat([Buffer.from(JSON.stringify(metadata)), delimiter]);
      return stream;
    },
  },
};

/** The stream of a streaming handler. */
export class ResponseStream extends Transform {
  /** The beginning of the first chunk. Like in Lambda's runtime, it is not sent without a chunk. */
  prelude = Buffer.alloc(0);

  /** Passes on a copy, because the handler may use its buffer again before the connection has sent it. */
  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const copy = Buffer.concat([this.prelude, chunk]);
    this.prelude = Buffer.alloc(0);
    done(null, copy);
  }
}
