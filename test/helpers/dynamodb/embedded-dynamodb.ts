import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type AttributeValue,
  CreateTableCommand,
  DynamoDBClient,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll } from '@jest/globals';
import { type TableShape, tableShapes } from './table-shapes.ts';

export interface EmbeddedDynamoDb {
  endpoint: string;
  dynamodb: DynamoDBClient;
  /** Creates an orders table and returns its name. */
  createOrdersTable(): Promise<string>;
  createApiKeysTable(): Promise<string>;
  createOwnersTable(): Promise<string>;
  readAll(tableName: string): Promise<Record<string, AttributeValue>[]>;
  stop(): Promise<void>;
}

/**
 * Provides a DynamoDB before the tests of the calling file, and stops it after them. It can be
 * used in tests and hooks only.
 */
export function embeddedDynamoDbOfFile(): EmbeddedDynamoDb {
  const database = {} as EmbeddedDynamoDb;
  beforeAll(async () => {
    Object.assign(database, await startDynamoDb());
  });
  afterAll(() => database.stop());
  return database;
}

/** Starts an in-memory DynamoDB, or uses the server at `DYNAMODB_ENDPOINT`. */
export async function startDynamoDb(): Promise<EmbeddedDynamoDb> {
  const { DYNAMODB_ENDPOINT } = process.env;
  const { endpoint, close } = DYNAMODB_ENDPOINT
    ? { endpoint: DYNAMODB_ENDPOINT, close: async () => {} }
    : await startDynoxide();
  // The client has no time limit. On a busy machine, it would otherwise give up a request and send it again, and the
  // request would count twice.
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const options = { credentials, signer: unchecked };
  const dynamodb = new DynamoDBClient({ endpoint, region: 'local', ...options });
  return {
    endpoint,
    dynamodb,
    createOrdersTable: () => createTable(dynamodb, tableShapes.Orders),
    createApiKeysTable: () => createTable(dynamodb, tableShapes.ApiKeys),
    createOwnersTable: () => createTable(dynamodb, tableShapes.Owners),
    readAll: async (TableName) => {
      const items: Record<string, AttributeValue>[] = [];
      for await (const page of paginateScan({ client: dynamodb }, { TableName })) {
        items.push(...(page.Items ?? []));
      }
      return items;
    },
    stop: async () => {
      dynamodb.destroy();
      await close();
    },
  };
}

/** Ends dynoxide when standard input ends. Standard input ends when this process ends in any way. */
const untilInputEnds = '"$0" "$@" & read -r line; kill $!';

/** Starts the database of the local run. On Linux, each database has a loopback address of its own. */
async function startDynoxide() {
  const host =
    process.platform === 'linux' ? `127.${randomInt(256)}.${randomInt(256)}.1` : '127.0.0.1';
  const port = randomInt(49_152, 65_536);
  const manifest = `@dynoxide/${process.platform}-${process.arch}/package.json`;
  const binary = join(dirname(createRequire(import.meta.url).resolve(manifest)), 'dynoxide');
  const words = ['serve', '--host', host, '--port', String(port)];
  const shell = spawn('/bin/sh', ['-c', untilInputEnds, binary, ...words]);
  const ended = once(shell, 'exit');
  const [firstLine] = await once(shell.stderr, 'data');
  if (!String(firstLine).includes('listening')) {
    throw new Error(`${firstLine}: start a database yourself and name it in DYNAMODB_ENDPOINT`);
  }
  const close = async () => {
    shell.stdin.end();
    await ended;
  };
  return { endpoint: `http://${host}:${port}`, close };
}

/** The headers of a request with a fixed signature. */
export const uncheckedHeaders = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/local/dynamodb/aws4_request, ' +
    `SignedHeaders=host, Signature=${'0'.repeat(64)}`,
};

/** Calls have no real signature, because the database does not check it, and signing takes a third of their CPU time. */
const unchecked = {
  sign: async <Request extends { headers: Record<string, string> }>(request: Request) => {
    Object.assign(request.headers, uncheckedHeaders);
    return request;
  },
};

/** Creates a table with a name of its own, because tests of other files may share the database. */
async function createTable(dynamodb: DynamoDBClient, shape: TableShape): Promise<string> {
  const TableName = randomUUID();
  const BillingMode = 'PAY_PER_REQUEST';
  await dynamodb.send(new CreateTableCommand({ TableName, BillingMode, ...shape }));
  return TableName;
}
