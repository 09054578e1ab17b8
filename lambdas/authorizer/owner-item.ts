import { buffer } from 'node:stream/consumers';
import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../shared/owner-record.ts';

export type Client = Pick<DynamoDBClient, 'send'>;

/** The outcome of a conditional write. */
export interface WriteResult {
  /** False if the condition failed, in which case nothing was written. */
  isDone: boolean;
  /** The item after the write or, if the condition failed, as it is; undefined if there is none. */
  item: Item | undefined;
}

/**
 * Reads an item; undefined if there is none.
 *
 * @throws Error if the read fails, or if every response is empty
 */
export async function readItem(
  client: Client,
  input: GetItemCommandInput,
): Promise<Item | undefined> {
  const command = new GetItemCommand(input);
  // The types of a middleware are in a package that is no direct dependency of this project.
  command.middlewareStack.addRelativeTo(requireBody as never, {
    relation: 'after',
    toMiddleware: 'deserializerMiddleware',
  });
  const { Item } = await client.send(command);
  return Item;
}

type Handler = (parameters: unknown) => Promise<{ response: { body: unknown } }>;

/**
 * Makes the SDK repeat a read whose response has no body. Where there is no item, DynamoDB answers
 * `{}`, for which the SDK takes an empty body as well, so that a valid key would be refused.
 */
function requireBody(next: Handler): Handler {
  return async (parameters) => {
    const result = await next(parameters);
    const { response } = result;
    const body = await buffer(response.body as AsyncIterable<Uint8Array>);
    response.body = body;
    if (body.length > 0) return result;
    // The code of a connection that was lost, which the SDK takes for a reason to try again.
    throw Object.assign(new Error('DynamoDB answered without a body.'), { code: 'ECONNRESET' });
  };
}

/**
 * Sends a conditional write. A failed condition is a result and not an error.
 *
 * @throws Error if the write fails, or if the response lacks the item. The SDK accepts such a response,
 *   but without an item a valid key would be taken for one that does not exist.
 */
export async function writeItem(
  client: Client,
  input: UpdateItemCommandInput,
): Promise<WriteResult> {
  try {
    const { Attributes } = await client.send(new UpdateItemCommand(input));
    if (Attributes) return { isDone: true, item: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isDone: false, item: error.Item };
  }
  throw new Error('The answer does not say what it wrote.');
}
