import { buffer } from 'node:stream/consumers';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Stands for the name `__proto__`, and is the name of no attribute. */
const substitute = `__proto__ ${crypto.randomUUID()}`;

type Middleware = (
  next: (input: object) => Promise<{ response: { body: never }; output: object }>,
) => (input: object) => Promise<object>;

/**
 * The SDK loses the value of an attribute `__proto__`, so it reads the attribute under another name. In the item of a
 * failed condition it keeps that name, because only the state of such an item is looked at.
 */
export function withEveryName<Client extends DynamoDBClient>(client: Client): Client {
  const rename: Middleware = (next) => async (input) => {
    const result = await next(input);
    const { response } = result;
    const body = String(await buffer(response.body));
    // In a text, and in a name that ends like this one, the quotation mark has a backslash.
    const renamed = body.replaceAll(/(?<!\\)"__proto__"(?=:)/g, `"${substitute}"`);
    return { ...result, response: Object.assign(response, { body: Buffer.from(renamed) }) };
  };
  const restore: Middleware = (next) => async (input) => {
    const result = await next(input);
    restoreName(result.output);
    return result;
  };
  const toMiddleware = 'deserializerMiddleware';
  // The types of a middleware are in a package that is not a direct dependency of this project.
  client.middlewareStack.addRelativeTo(rename as never, { relation: 'after', toMiddleware });
  client.middlewareStack.addRelativeTo(restore as never, { relation: 'before', toMiddleware });
  return client;
}

function restoreName(part: unknown): void {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return;
  for (const [name, value] of Object.entries(part)) {
    restoreName(value);
    if (name !== substitute) continue;
    Reflect.deleteProperty(part, name);
    // An assignment would change the prototype.
    Object.defineProperty(part, '__proto__', { value, enumerable: true, configurable: true });
  }
}
