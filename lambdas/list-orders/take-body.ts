import { IncomingMessage } from 'node:http';
import type { ScanCommand } from '@aws-sdk/client-dynamodb';

/** Takes an answer's body as it arrives. */
export interface BodyTaker {
  /** The memory of a chunk is gone when this has returned. */
  push(chunk: Buffer): void;
  /** Returns what is left of the body for the SDK. */
  finish(): Buffer;
}

type Handler = (parameters: unknown) => Promise<{ response: Response }>;

interface Response {
  statusCode: number;
  body: unknown;
}

/**
 * Lets a taker have the bodies of successful answers, and the SDK what the taker leaves of them. It
 * stands between the network and the SDK's own deserializer, inside the SDK's retries: signing,
 * credentials, time limits, retries and errors are the SDK's as ever, and an answer that breaks off
 * half-way is asked for again. (The JavaScript SDK does not verify DynamoDB's `x-amz-crc32`; neither
 * does this. TLS has seen to it.)
 *
 * @param begin makes a taker for one answer; what an earlier one has taken is void
 */
export function takeBody(command: ScanCommand, begin: () => BodyTaker): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode === 200 && response.body instanceof IncomingMessage) {
      response.body = await readAll(response.body, begin());
    }
    return result;
  };
  // A middleware's own types are in a package that comes with the SDK and is not ours to import.
  command.middlewareStack.addRelativeTo(middleware as never, {
    name: 'takeBody',
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}

function readAll(body: IncomingMessage, taker: BodyTaker): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      taker.push(chunk);
      release(chunk);
    });
    body.on('end', () => resolve(taker.finish()));
    body.on('error', reject);
  });
}

/**
 * Frees a chunk's memory now. It lies outside of JavaScript's heap, whose garbage collector comes
 * by when the heap asks for it: by then there would be dozens of megabytes. Node's HTTP parser made
 * the chunk for its one listener.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
}
