import { CreateTableCommand, DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { startEmbeddedDynamoDB } from '../local/dynamodb/embedded-dynamodb.ts';
import { burstOwner, burstPeerKeys, cannedToken } from './doubles/api-keys.ts';
import { counterTable } from './doubles/canned-dynamodb.ts';
import { startCountingEndpoint } from './doubles/counting-endpoint.ts';
import type { Findings } from './figures.ts';
import type { BundleFile } from './workbench/bundles.ts';
import { authorizerEvent } from './workbench/events.ts';
import type { Workbench } from './workbench/workbench.ts';

const requestsPerKey = 20;
const perMinute = 60;
const ownersTable = 'burst-owners';
const peerTable = 'burst-peer-keys';
const credentials = { accessKeyId: 'benchmark', secretAccessKey: 'benchmark' };

/**
 * Sends concurrent requests of several keys of one owner with the Free plan's limits, each key from its
 * own process, to a table that evaluates conditions. Measures how many requests are admitted, and
 * the read and write units.
 */
export async function benchBurst(
  bench: Workbench,
): Promise<Pick<Findings, 'measurements' | 'figures'>> {
  const { ours, peers } = bench.bundles;
  // Each key takes a process of its own; four of them ask for more than the limit as well.
  const keys = bench.isQuick ? 4 : 10;
  const dynamodb = await startEmbeddedDynamoDB();
  try {
    await fillTables(dynamodb.endpoint, keys);
    const our = await burst(bench, ours.authorizer, dynamodb.endpoint, {
      table: ownersTable,
      keys,
    });
    const peer = await burst(bench, peers.authorizerRateLimiterFlexible, dynamodb.endpoint, {
      table: peerTable,
      keys,
    });
    const what = `${keys * requestsPerKey} at once over ${keys} keys`;
    return {
      measurements: [...describe(`${what}, ours`, our), ...describe(`${what}, peer`, peer)],
      figures: { limiter_burst_admitted_vs_limit: our.admitted / perMinute },
    };
  } finally {
    await dynamodb.close();
  }
}

interface Burst {
  admitted: number;
  readUnits: number;
  writeUnits: number;
}

async function burst(
  { measure }: Workbench,
  { file }: BundleFile,
  target: string,
  { table, keys }: { table: string; keys: number },
): Promise<Burst> {
  const counting = await startCountingEndpoint(target);
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: counting.endpoint, API_KEYS_TABLE: table };
  const results = await Promise.all(
    Array.from({ length: keys }, (_, index) =>
      measure(
        {
          kind: 'burst',
          bundleFile: file,
          event: authorizerEvent('admitted', index),
          isStreaming: false,
          calls: requestsPerKey,
        },
        environment,
      ),
    ),
  );
  counting.close();
  const admitted = results.reduce((total, result) => total + result.admitted, 0);
  return { ...counting.counts, admitted };
}

function describe(what: string, { admitted, readUnits, writeUnits }: Burst) {
  return [
    { what: `${what}: admitted of ${perMinute}`, value: admitted, unit: '' },
    { what: `${what}: read units`, value: readUnits, unit: '' },
    { what: `${what}: write units`, value: writeUnits, unit: '' },
  ];
}

async function fillTables(endpoint: string, keys: number): Promise<void> {
  const client = new DynamoDBClient({ endpoint, region: 'us-east-1', credentials });
  await createTable(client, ownersTable, 'ownerHash');
  await createTable(client, peerTable, 'keyHash');
  await createTable(client, counterTable, 'key');
  const tokens = Array.from({ length: keys }, (_, index) => cannedToken('admitted', index));
  const owner = burstOwner(tokens, perMinute);
  await client.send(new PutItemCommand({ TableName: ownersTable, Item: owner }));
  for (const Item of burstPeerKeys(tokens, perMinute)) {
    await client.send(new PutItemCommand({ TableName: peerTable, Item }));
  }
  client.destroy();
}

async function createTable(client: DynamoDBClient, TableName: string, key: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
      KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
    }),
  );
}
