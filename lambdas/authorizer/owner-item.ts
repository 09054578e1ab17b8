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

/** Reads an item; undefined if there is none. */
export async function readItem(
  client: Client,
  input: GetItemCommandInput,
): Promise<Item | undefined> {
  const { Item } = await client.send(new GetItemCommand(input));
  return Item;
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
