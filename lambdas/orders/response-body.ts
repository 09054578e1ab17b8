import type { IncomingMessage } from 'node:http';
import type { ScanCommand } from '@aws-sdk/client-dynamodb';

type Handler = (
  parameters: unknown,
) => Promise<{ response: { statusCode: number; body: IncomingMessage | Buffer } }>;

/**
 * Passes the body of every successful response to a function, and passes the function's result to the SDK's
 * deserializer. The middleware is inside the SDK's retry loop. So the SDK still does signing, timeouts, retries and
 * errors, and repeats a request whose response ends prematurely. Like the SDK for JavaScript, the middleware does not
 * verify DynamoDB's `x-amz-crc32`, because TLS protects the body's integrity.
 */
export function interceptBody(command: ScanCommand, takeBody: (chunks: Buffer[]) => Buffer): void {
  const middleware = (next: Handler) => async (parameters: unknown) => {
    const result = await next(parameters);
    const { response } = result;
    if (response.statusCode === 200) {
      response.body = takeBody(await (response.body as IncomingMessage).toArray());
    }
    return result;
  };
  // The types of a middleware are in a package that is not a direct dependency of this project.
  command.middlewareStack.addRelativeTo(middleware as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
}
