import {
  type AttributeValue,
  GetItemCommand,
  PutItemCommand,
  type UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from './embedded-dynamodb.ts';
import type { Item } from './expressions.ts';
import { InMemoryTable } from './in-memory-table.ts';
import { keyHash, keyItem } from './key-items.ts';

type Value = string | number | undefined;

/** A table of API keys that holds one, and counts the requests it gets. */
export interface KeyTable {
  tableName: string;
  client: { send(command: UpdateItemCommand): Promise<{ Attributes?: Item }> };
  calls: number;
  /** Puts the example key, with some attributes set otherwise. */
  put(overrides?: Record<string, Value>): Promise<void>;
  item(): Promise<Item>;
  stop(): Promise<void>;
}

/** The two that a suite can be run over: a model, and a real DynamoDB-compatible server. */
export const keyTables: [name: string, start: () => Promise<KeyTable>][] = [
  ['a model of DynamoDB', async () => inMemoryKeyTable()],
  ['the embedded DynamoDB', embeddedKeyTable],
];

function inMemoryKeyTable(): KeyTable {
  const table = new InMemoryTable();
  return counting({
    tableName: 'ApiKeys',
    send: (command) => table.send(command),
    put: async (item) => {
      table.items.set(keyHash, item);
    },
    item: async () => table.items.get(keyHash)!,
    stop: async () => {},
  });
}

async function embeddedKeyTable(): Promise<KeyTable> {
  const server = await startDynamoDb();
  const TableName = await server.createApiKeysTable();
  const Key = { keyHash: { S: keyHash } };
  return counting({
    tableName: TableName,
    send: (command) => server.dynamodb.send(command),
    put: async (Item) => {
      await server.dynamodb.send(new PutItemCommand({ TableName, Item }));
    },
    item: async () => (await server.dynamodb.send(new GetItemCommand({ TableName, Key }))).Item!,
    stop: server.stop,
  });
}

interface Backend {
  tableName: string;
  send: KeyTable['client']['send'];
  put(item: Record<string, AttributeValue>): Promise<void>;
  item: KeyTable['item'];
  stop: KeyTable['stop'];
}

function counting({ tableName, send, put, item, stop }: Backend): KeyTable {
  const table: KeyTable = {
    tableName,
    calls: 0,
    client: {
      send: (command) => {
        table.calls++;
        return send(command);
      },
    },
    put: (overrides) => put(keyItem(overrides)),
    item,
    stop,
  };
  return table;
}
