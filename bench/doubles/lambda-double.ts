import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';

/** The response stream of one invocation, with what was written to it. */
export interface Invocation {
  stream: LambdaStream;
  /** Resolves when the receiver has received the whole body. */
  received: Promise<unknown>;
  /** When the first byte of the body was written, by `performance.now()`. */
  firstByteAtMs: number | undefined;
  bytes: number;
  /** The body; empty unless it is kept. */
  chunks: Uint8Array[];
}

type LambdaStream = ClientRequest & {
  prelude?: { statusCode?: number };
  setContentType?: (type: string) => void;
};

type StreamHandler = (event: unknown, stream: LambdaStream, context: unknown) => Promise<void>;

/** Replaces the `awslambda` global of Lambda's Node runtime. */
export function installLambdaDouble(): void {
  const HttpResponseStream = {
    from: (stream: LambdaStream, prelude: object) => Object.assign(stream, { prelude }),
  };
  const streamifyResponse = (handler: StreamHandler) => handler;
  Object.assign(globalThis, { awslambda: { HttpResponseStream, streamifyResponse } });
}

/**
 * Opens the response stream of an invocation. As on Lambda, the stream is a chunked HTTP request to a
 * local address, so that writing has the same cost and the same backpressure.
 *
 * @param receiverUrl the address of a server that reads as fast as it can
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
    // The list's handler and Middy begin with an empty write, which is not part of the body.
    if (chunk.length > 0) invocation.firstByteAtMs ??= performance.now();
    invocation.bytes += Buffer.byteLength(chunk);
    if (isKept) invocation.chunks.push(Uint8Array.from(Buffer.from(chunk as string)));
    return write(chunk, ...others);
  };
  return invocation;
}

/** The part of Lambda's context that the handlers and Middy use. */
export function invocationContext(): object {
  return {
    awsRequestId: '00000000-0000-4000-8000-000000000000',
    functionName: 'benchmark',
    getRemainingTimeInMillis: () => 900_000,
  };
}
