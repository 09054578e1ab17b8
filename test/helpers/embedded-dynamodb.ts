import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttributeValue,
  CreateTableCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';

export interface EmbeddedDynamoDb {
  endpoint: string;
  dynamodb: DynamoDBClient;
  /** Creates an orders table of its own and returns its name. */
  createOrdersTable(): Promise<string>;
  createApiKeysTable(): Promise<string>;
  createOwnersTable(): Promise<string>;
  readAll(tableName: string): Promise<Record<string, AttributeValue>[]>;
  stop(): Promise<void>;
}

const binary = join(
  import.meta.dirname,
  `../../node_modules/@dynoxide/${process.platform}-${process.arch}/dynoxide`,
);
const startTimeoutMs = 10_000;

/** A DynamoDB in memory, for the tests of one file. */
export async function startDynamoDb(): Promise<EmbeddedDynamoDb> {
  const port = await freePort();
  const server = spawn(binary, ['serve', '--port', String(port)], { stdio: 'ignore' });
  const endpoint = `http://127.0.0.1:${port}`;
  await untilItAnswers(endpoint);
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const dynamodb = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  let tables = 0;
  return {
    endpoint,
    dynamodb,
    createOrdersTable: () => createTable(dynamodb, `Orders-${++tables}`, ordersTable),
    createApiKeysTable: () => createTable(dynamodb, `ApiKeys-${++tables}`, apiKeysTable),
    createOwnersTable: () => createTable(dynamodb, `Owners-${++tables}`, ownersTable),
    readAll: async (TableName) => {
      const items: Record<string, AttributeValue>[] = [];
      for await (const page of paginateScan({ client: dynamodb }, { TableName })) {
        items.push(...(page.Items ?? []));
      }
      return items;
    },
    stop: async () => {
      dynamodb.destroy();
      await end(server);
    },
  };
}

type TableShape = Omit<ConstructorParameters<typeof CreateTableCommand>[0], 'TableName'>;

const ordersTable: TableShape = {
  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
  KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
};

const apiKeysTable: TableShape = {
  AttributeDefinitions: [{ AttributeName: 'ownerHash', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'ownerHash', KeyType: 'HASH' }],
};

const ownersTable: TableShape = {
  AttributeDefinitions: [{ AttributeName: 'ownerId', AttributeType: 'S' }],
  KeySchema: [{ AttributeName: 'ownerId', KeyType: 'HASH' }],
};

async function createTable(
  dynamodb: DynamoDBClient,
  TableName: string,
  shape: TableShape,
): Promise<string> {
  const BillingMode = 'PAY_PER_REQUEST';
  await dynamodb.send(new CreateTableCommand({ TableName, BillingMode, ...shape }));
  return TableName;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilItAnswers(endpoint: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (!(await fetch(endpoint).then(drained, () => false))) {
    if (Date.now() > deadline) throw new Error('The embedded DynamoDB does not start.');
    await sleep(20);
  }
}

async function drained(response: Response): Promise<boolean> {
  await response.arrayBuffer();
  return true;
}

function end(server: ChildProcess): Promise<unknown> {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill();
  return ended;
}
