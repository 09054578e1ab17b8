import { Writable } from 'node:stream';

/** What the client of a streamed answer has received so far. */
export interface ReceivedStream {
  prelude: { statusCode?: number } | undefined;
  bytes: number;
  /** When the body's first byte arrived, `performance.now()`. */
  firstByteAtMs: number | undefined;
  /** The body, where it is kept. */
  body(): Buffer;
}

type StreamHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

/**
 * Stands in for the `awslambda` global of Lambda's Node runtime. Its client takes everything at
 * once, so that the function is what decides the speed.
 */
export function installLambdaDouble(): void {
  const HttpResponseStream = {
    from(stream: ReceivingStream, prelude: object) {
      stream.prelude = prelude;
      return stream;
    },
  };
  const streamifyResponse = (handler: StreamHandler) => handler;
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
}

/** The client's end of a streamed answer. Keeps the body only when asked to. */
export class ReceivingStream extends Writable implements ReceivedStream {
  prelude: ReceivedStream['prelude'];
  bytes = 0;
  firstByteAtMs: number | undefined;
  readonly #isKept: boolean;
  readonly #chunks: Buffer[] = [];

  constructor({ isKept = false } = {}) {
    super();
    this.#isKept = isKept;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (chunk.length > 0) this.firstByteAtMs ??= performance.now();
    this.bytes += chunk.length;
    if (this.#isKept) this.#chunks.push(chunk);
    done();
  }

  body(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

/** What Lambda tells a function of its invocation, as far as the handlers and Middy look at it. */
export function invocationContext(): object {
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'benchmark',
    getRemainingTimeInMillis: () => 900_000,
  };
}
