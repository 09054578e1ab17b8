import { GetItemCommand, PutItemCommand, type UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { startDynamoDb } from './embedded-dynamodb.ts';
import type { Item } from './expressions.ts';
import { InMemoryTable } from './in-memory-table.ts';
import { type KeyOverrides, type Overrides, ownerHash, ownerItem } from './key-items.ts';

type Command = GetItemCommand | UpdateItemCommand;

/** A table with one owner that counts its requests. */
export interface KeyTable {
  tableName: string;
  client: { send(command: Command): Promise<{ Attributes?: Item; Item?: Item }> };
  reads: number;
  writes: number;
  /** Puts the example owner with overrides, by default with the example key alone. */
  put(overrides?: Overrides, keys?: KeyOverrides): Promise<void>;
  item(): Promise<Item>;
  stop(): Promise<void>;
}

type NamedTable = [name: string, start: () => Promise<KeyTable>];

const model: NamedTable = ['a model of DynamoDB', async () => inMemoryKeyTable()];
const embedded: NamedTable = ['the embedded DynamoDB', embeddedKeyTable];

/**
 * The tables that a suite runs with: a model in memory and a DynamoDB-compatible server. Mutation
 * testing runs the suites once for every mutant, for which the server would take too long.
 */
export const keyTables: NamedTable[] = process.env.MUTATION_TESTS ? [model] : [model, embedded];

function inMemoryKeyTable(): KeyTable {
  const table = new InMemoryTable();
  return counting({
    tableName: 'ApiKeys',
    send: (command) => table.send(command),
    put: async (item) => {
      table.put(item);
    },
    item: async () => table.items.get(ownerHash)!,
    stop: async () => {},
  });
}

async function embeddedKeyTable(): Promise<KeyTable> {
  const server = await startDynamoDb();
  const TableName = await server.createApiKeysTable();
  const Key = { ownerHash: { S: ownerHash } };
  return counting({
    tableName: TableName,
    send: (command) => server.dynamodb.send(command as UpdateItemCommand),
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
  put(item: Item): Promise<void>;
  item: KeyTable['item'];
  stop: KeyTable['stop'];
}

function counting({ tableName, send, put, item, stop }: Backend): KeyTable {
  const table: KeyTable = {
    tableName,
    reads: 0,
    writes: 0,
    client: {
      send: (command) => {
        if (command instanceof GetItemCommand) table.reads++;
        else table.writes++;
        return send(command);
      },
    },
    put: (overrides, keys) => put(ownerItem(overrides, keys)),
    item,
    stop,
  };
  return table;
}
