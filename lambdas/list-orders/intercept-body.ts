import { IncomingMessage } from 'node:http';
import type { ScanCommand } from '@aws-sdk/client-dynamodb';

/** Consumes the body of a response while it arrives. */
interface BodyConsumer {
  /** Processes a chunk, whose memory is freed when this returns. */
  push(chunk: Buffer): void;
  /** Returns the part of the body that the SDK parses. */
  finish(): Buffer;
}

type Handler = (parameters: unknown) => Promise<{ response: Response }>;

interface Response {
  statusCode: number;
  body: unknown;
}

/**
 * Passes the body of every successful response to a consumer, and what the consumer returns to the
 * SDK's deserializer. The middleware is inside the SDK's retry loop, so the SDK still does signing,
 * timeouts, retries and errors, and repeats a request whose response ends prematurely. Like the SDK
 * for JavaScript, it does not verify DynamoDB's `x-amz-crc32`; TLS protects the body's integrity.
 *
 * @param createConsumer called for each response; what the consumer before it has read is void
 */
export function interceptBody(command: ScanCommand, createConsumer: () => BodyConsumer): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode === 200 && response.body instanceof IncomingMessage) {
      response.body = await readAll(response.body, createConsumer());
    }
    return result;
  };
  // The types of a middleware are in a package that is no direct dependency of this project.
  command.middlewareStack.addRelativeTo(middleware as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}

function readAll(body: IncomingMessage, consumer: BodyConsumer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Buffer) => {
      consumer.push(chunk);
      freeMemory(chunk);
    });
    body.on('end', () => resolve(consumer.finish()));
    body.on('error', reject);
  });
}

/**
 * Frees a chunk's memory at once. It is outside of JavaScript's heap, whose size is what triggers
 * garbage collection, so unused chunks would add up to dozens of megabytes. Nothing else refers to
 * the memory: Node's HTTP parser allocates it for this chunk.
 */
function freeMemory({ buffer, byteLength }: Buffer): void {
  if (buffer.byteLength === byteLength) (buffer as ArrayBuffer).transfer(0);
}
