import { once } from 'node:events';
import { Writable } from 'node:stream';

interface Prelude {
  statusCode: number;
  headers: Record<string, string>;
}

type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

const preludeEnd = new Uint8Array(8);

/**
 * The stream that Lambda's Node runtime passes to a streaming function. As in the runtime, the
 * first write also writes the prelude as JSON, followed by eight zero bytes.
 */
export class LambdaStream extends Writable {
  /** Everything that was written, including the prelude. */
  readonly received: Buffer[] = [];
  private beforeFirstWrite: (() => void) | undefined;
  private isHeld = false;

  constructor() {
    super();
    // Like in Lambda's runtime, there is a listener for errors. Without a listener, an error would end the process.
    this.on('error', () => {});
  }

  onBeforeFirstWrite(action: () => void): void {
    this.beforeFirstWrite = action;
  }

  /** The client stops reading. */
  hold(): void {
    this.isHeld = true;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signatures of write are many
  override write(...parameters: any[]): boolean {
    const action = this.beforeFirstWrite;
    this.beforeFirstWrite = undefined;
    action?.();
    return super.write(...(parameters as [string]));
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.isHeld) return;
    // Copies the chunk, because the function uses its buffer again.
    if (chunk.length > 0) this.received.push(Buffer.from(chunk));
    done();
  }

  /** Undefined until the response has begun. */
  get prelude(): Prelude | undefined {
    const text = this.all();
    const end = text.indexOf(preludeEnd);
    return end < 0 ? undefined : JSON.parse(text.subarray(0, end).toString());
  }

  get body(): Buffer {
    const text = this.all();
    const end = text.indexOf(preludeEnd);
    return end < 0 ? Buffer.alloc(0) : text.subarray(end + preludeEnd.length);
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

/** Calls a streaming function and returns its response. @throws the function's error */
export async function streamed(
  invoke: (stream: LambdaStream) => Promise<unknown>,
): Promise<LambdaStream> {
  const stream = new LambdaStream();
  const finished = once(stream, 'finish');
  await invoke(stream);
  await finished;
  return stream;
}
