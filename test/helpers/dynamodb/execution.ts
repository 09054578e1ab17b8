import {
  ConditionalCheckFailedException,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll } from '@jest/globals';
import type { Item } from '../../../lambdas/contract/item.ts';
import { embeddedDynamoDbOfFile } from './embedded-dynamodb.ts';

export type Command = GetItemCommand | UpdateItemCommand;

/** The result of a command: the item after it, and the response or the error of a failed condition. */
export interface Execution {
  item: Item;
  answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException;
}

const database = embeddedDynamoDbOfFile();
let TableName: string;
/** The only item in the table. */
let stored: Item | undefined;

beforeAll(async () => {
  TableName = await database.createApiKeysTable();
});

/** Executes a command on a table that has only this item. Only one command may run at a time. */
export async function execute(item: Item, command: Command): Promise<Execution> {
  if (item !== stored) {
    await database.dynamodb.send(new PutItemCommand({ TableName, Item: item }));
  }
  const answer = await answerTo(command);
  stored = 'Attributes' in answer ? answer.Attributes! : item;
  return { item: stored, answer };
}

async function answerTo(command: Command): Promise<Execution['answer']> {
  const { dynamodb } = database;
  if (command instanceof GetItemCommand) {
    const { Item } = await dynamodb.send(new GetItemCommand({ ...command.input, TableName }));
    return Item ? { Item } : {};
  }
  try {
    const update = new UpdateItemCommand({ ...command.input, TableName });
    const { Attributes } = await dynamodb.send(update);
    return { Attributes: Attributes! };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // Leaves out the id of the request, so that two equal answers compare as equal.
    const { message, Item } = error;
    return new ConditionalCheckFailedException({ message, $metadata: {}, ...(Item && { Item }) });
  }
}
