import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import {
  ConditionalCheckFailedException,
  type GetItemCommand,
  type UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeAll } from '@jest/globals';
import type { Item } from '../../../lambdas/contract/item.ts';
import { embeddedDynamoDbOfFile, uncheckedHeaders } from './embedded-dynamodb.ts';

export type Command = GetItemCommand | UpdateItemCommand;

/** The result of a command: the item after it, and the response or the error of a failed condition. */
export interface Execution {
  item: Item;
  answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException;
}

/** The body of a response: the result of an operation, or its error. */
type Body = { Item?: Item; Attributes?: Item; __type?: string; message?: string };

const database = embeddedDynamoDbOfFile();
let TableName: string;
/** The only item in the table. */
let stored: Item | undefined;

beforeAll(async () => {
  TableName = await database.createApiKeysTable();
});

/** Executes a command on a table that has only this item. Only one command may run at a time. */
export async function execute(item: Item, command: Command): Promise<Execution> {
  if (!isDeepStrictEqual(item, stored)) await call('PutItem', { Item: item });
  const operation = command.constructor.name.replace('Command', '');
  const { __type = '', message = '', ...result } = await call(operation, command.input);
  stored = result.Attributes ?? item;
  if (!__type) return { item: stored, answer: result };
  if (!__type.endsWith('ConditionalCheckFailedException')) throw new Error(message);
  const failure = { message, $metadata: {}, ...result };
  return { item, answer: new ConditionalCheckFailedException(failure) };
}

/** Calls the database without the SDK, which takes two thirds of the time of a request. */
async function call(operation: string, input: object): Promise<Body> {
  const headers = { ...uncheckedHeaders, 'x-amz-target': `DynamoDB_20120810.${operation}` };
  const sent = request(database.endpoint, { method: 'POST', headers });
  sent.end(JSON.stringify({ ...input, TableName }));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  return JSON.parse(await text(response!), inOrderOfNames);
}

/** For `JSON.parse`: the database returns an item's attributes in any order. */
function inOrderOfNames(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort());
}
