import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type EmbeddedDynamoDB,
  startEmbeddedDynamoDB,
} from '../../../local/dynamodb/embedded-dynamodb.ts';
import { createTables, readTables } from '../../../local/dynamodb/tables.ts';
import { createTemplate } from '../small-template.ts';

const template = createTemplate({
  Orders: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      TableName: 'orders',
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [
        { AttributeName: 'id', AttributeType: 'N' },
        { AttributeName: 'owner', AttributeType: 'S' },
      ],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'by-owner',
          KeySchema: [{ AttributeName: 'owner', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
          ContributorInsightsSpecification: { Enabled: true },
        },
      ],
      DeletionProtectionEnabled: true,
      TimeToLiveSpecification: { Enabled: true, AttributeName: 'expiresAt' },
    },
  },
});
const Item = { id: { N: '9223372036854775807' } };

let directory: string;
let running: EmbeddedDynamoDB[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'embedded-dynamodb-'));
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((database) => database.close()));
  rmSync(directory, { recursive: true });
});

async function start(databaseFile?: string): Promise<EmbeddedDynamoDB> {
  const database = await startEmbeddedDynamoDB({ databaseFile });
  running.push(database);
  return database;
}

function clientOf({ endpoint }: EmbeddedDynamoDB): DynamoDBClient {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new DynamoDBClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
}

const answers = (endpoint: string) =>
  fetch(endpoint).then(
    ({ ok }) => ok,
    () => false,
  );

describe('embedded DynamoDB', () => {
  it('runs several times at once, each on a port of its own', async () => {
    const [one, other] = await Promise.all([start(), start()]);

    expect(one?.endpoint).not.toBe(other?.endpoint);
    expect(await answers(one!.endpoint)).toBe(true);
  });

  it('ends when it is closed', async () => {
    const database = await start();

    await database.close();

    expect(await answers(database.endpoint)).toBe(false);
  });

  it('says when it ends by itself', async () => {
    const database = await start();

    process.kill(database.processId, 'SIGKILL');

    expect((await database.ended).message).toMatch(/^dynoxide ended \(SIGKILL\)/);
  });

  it('ends with the process that started it, also when that is killed', async () => {
    const module = new URL('../../../local/dynamodb/embedded-dynamodb.ts', import.meta.url).href;
    const code = `const { startEmbeddedDynamoDB } = await import(${JSON.stringify(module)});
      console.log((await startEmbeddedDynamoDB()).endpoint); setInterval(() => {}, 1e6);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' });
    const [output] = await once(child.stdout, 'data');
    const endpoint = String(output).trim();
    expect(await answers(endpoint)).toBe(true);

    child.kill('SIGKILL');

    const deadline = Date.now() + 5_000;
    while ((await answers(endpoint)) && Date.now() < deadline) await sleep(20);
    expect(await answers(endpoint)).toBe(false);
  });

  it('does not start when it has been called off', async () => {
    const signal = AbortSignal.abort(new Error('called off'));

    await expect(startEmbeddedDynamoDB({ signal })).rejects.toThrow('called off');
  });

  it('keeps every acknowledged write in its file, also when it is killed', async () => {
    const databaseFile = join(directory, 'data.sqlite');
    const first = await start(databaseFile);
    const client = clientOf(first);
    await createTables(readTables(template), client);
    await client.send(new PutItemCommand({ TableName: 'orders', Item }));

    process.kill(first.processId, 'SIGKILL');
    await first.ended;
    const second = clientOf(await start(databaseFile));
    await createTables(readTables(template), second);

    const read = await second.send(new GetItemCommand({ TableName: 'orders', Key: Item }));
    expect(read.Item).toEqual(Item);
    client.destroy();
    second.destroy();
  });

  it('is refused where an earlier version has left a table with another key', async () => {
    const databaseFile = join(directory, 'data.sqlite');
    const client = clientOf(await start(databaseFile));
    await createTables(readTables(template), client);
    const [orders] = readTables(template);
    const { BillingMode, TableName } = orders!.input;
    const KeySchema = [{ AttributeName: 'owner', KeyType: 'HASH' as const }];
    const AttributeDefinitions = [{ AttributeName: 'owner', AttributeType: 'S' as const }];
    const input = { TableName, BillingMode, KeySchema, AttributeDefinitions };

    const changed = createTables([{ ...orders!, input }], client);

    await expect(changed).rejects.toThrow(
      'the table orders is there with the key id, and this version needs owner: use an empty data directory',
    );
    client.destroy();
  });
});
