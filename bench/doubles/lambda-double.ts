import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';

/** One invocation's way out: the stream for a streaming function, and what went through it. */
export interface Invocation {
  stream: LambdaStream;
  /** Resolves when the receiver has everything. */
  received: Promise<unknown>;
  /** When the body's first byte was handed over, `performance.now()`. */
  firstByteAtMs: number | undefined;
  bytes: number;
  /** The body, where it is kept. */
  chunks: Uint8Array[];
}

type LambdaStream = ClientRequest & {
  prelude?: { statusCode?: number };
  setContentType?: (type: string) => void;
};

type StreamHandler = (event: unknown, stream: LambdaStream, context: unknown) => Promise<void>;

/** Stands in for the `awslambda` global of Lambda's Node runtime. */
export function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: StreamHandler) => handler;
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
}

/**
 * Opens an answer. As on Lambda, the stream is a chunked HTTP request to an address of the machine
 * itself, so that handing the bytes over costs what it costs there, and waits when it must.
 *
 * @param receiverUrl takes everything as fast as it comes
 */
export function openInvocation(receiverUrl: string, { isKept = false } = {}): Invocation {
  const stream: LambdaStream = request(receiverUrl, { method: 'POST' });
  stream.setContentType = () => {};
  const received = once(stream, 'response').then(([response]) => response.toArray());
  const invocation: Invocation = {
    stream,
    received,
    firstByteAtMs: undefined,
    bytes: 0,
    chunks: [],
  };
  const write = stream.write.bind(stream) as (...parameters: unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...others: unknown[]) => {
    // Middy opens the stream with an empty write.
    if (chunk.length > 0) invocation.firstByteAtMs ??= performance.now();
    invocation.bytes += Buffer.byteLength(chunk);
    if (isKept) invocation.chunks.push(Uint8Array.from(Buffer.from(chunk as string)));
    return write(chunk, ...others);
  };
  return invocation;
}

/** What Lambda tells a function of its invocation, as far as the handlers and Middy look at it. */
export function invocationContext(): object {
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'benchmark',
    getRemainingTimeInMillis: () => 900_000,
  };
}
