import { Writable } from 'node:stream';

interface Prelude {
  statusCode: number;
  headers: Record<string, string>;
}

type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

const preludeEnd = new Uint8Array(8);

/**
 * The stream that Lambda's Node runtime passes to a streaming function, with a client that reads a chunk in a given
 * number of milliseconds. As in the runtime, the first write also writes the prelude as JSON, followed by eight zero
 * bytes.
 */
export class LambdaStream extends Writable {
  /** Everything that the client has read, including the prelude. */
  readonly received: Buffer[] = [];
  /** The errors of the stream. Lambda's runtime also listens for these errors, and would end the process. */
  readonly crashes: unknown[] = [];
  /** Whether a write waits for the client. */
  isReading = false;
  private readonly msToRead: (chunk: Buffer) => number;
  private beforeFirstWrite: (() => void) | undefined;

  constructor(msToRead: (chunk: Buffer) => number = () => 0) {
    super({ highWaterMark: 1 });
    this.msToRead = msToRead;
    this.on('error', (error) => this.crashes.push(error));
  }

  onBeforeFirstWrite(action: () => void): void {
    this.beforeFirstWrite = action;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signatures of write are many
  override write(...parameters: any[]): boolean {
    const action = this.beforeFirstWrite;
    this.beforeFirstWrite = undefined;
    action?.();
    return super.write(...(parameters as [string]));
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const take = () => {
      this.isReading = false;
      // Copies the chunk, because the function uses its buffer again.
      this.received.push(Buffer.from(chunk));
      done();
    };
    const ms = this.msToRead(chunk);
    this.isReading = ms > 0;
    if (ms === 0) take();
    else setTimeout(take, ms);
  }

  // An HTTP request that is destroyed before its response emits an error.
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    callback(error ?? (this.writableFinished ? null : new Error('socket hang up')));
  }

  /** Undefined until the response has begun. */
  get prelude(): Prelude | undefined {
    const text = this.all();
    const end = text.indexOf(preludeEnd);
    return end < 0 ? undefined : JSON.parse(text.subarray(0, end).toString());
  }

  get body(): Buffer {
    const text = this.all();
    return text.subarray(text.indexOf(preludeEnd) + preludeEnd.length);
  }

  private all(): Buffer {
    return Buffer.concat(this.received);
  }
}

/** The global that Lambda's runtime defines before it loads a function. */
const awslambda = {
  streamifyResponse: (handler: StreamingHandler) => handler,
  HttpResponseStream: {
    from(stream: LambdaStream, prelude: Prelude): LambdaStream {
      stream.onBeforeFirstWrite(() => {
        stream.write(JSON.stringify(prelude));
        stream.write(preludeEnd);
      });
      return stream;
    },
  },
};

/** Installs the global. Call it before importing the module of a streaming function. */
export function installAwsLambda(): void {
  Object.assign(globalThis, { awslambda });
}
