import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type LocalService, withLocalService } from './workbench/local-service.ts';

/*
 * Requests several lists of a large store concurrently from the local service, and cancels orders in
 * the meantime. The output shows whether every list is complete, and how long writes take while the
 * lists are read:
 *
 *   node bench/lists-beside-writes.ts [--orders 300000] [--lists 6]
 */

const betweenWritesMs = 100;

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '300000' },
    lists: { type: 'string', default: '6' },
  },
});
const orderCount = Number(values.orders);
const directory = mkdtempSync(join(tmpdir(), 'lists-beside-writes-'));
try {
  await withLocalService(ordersFile(), measure);
} finally {
  rmSync(directory, { recursive: true });
}

function ordersFile(): string[] {
  const file = join(directory, 'orders.jsonl');
  const line = (_: unknown, id: number) =>
    `{"id":${id},"petId":${id % 400},"quantity":2,"shipDate":"2026-01-05T09:30:00Z","complete":false,"status":"pending"}\n`;
  writeFileSync(file, Array.from({ length: orderCount }, line).join(''));
  return ['--orders', file];
}

async function measure(run: LocalService): Promise<void> {
  const over = new AbortController();
  const cancels = repeat(over.signal, (id) => cancel(run, id));
  const client = new DynamoDBClient({
    endpoint: run.dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    maxAttempts: 1,
  });
  const writes = repeat(over.signal, () => write(client, run));
  const lists = await Promise.all(Array.from({ length: Number(values.lists) }, () => list(run)));
  over.abort();
  console.table(lists);
  console.table({ cancels: summary(await cancels), writes: summary(await writes) });
  client.destroy();
}

async function list({ baseUrl, keys }: LocalService) {
  const startedAtMs = performance.now();
  const headers = { Authorization: `Bearer ${keys.enterprise}` };
  const response = await fetch(`${baseUrl}/store/orders`, { headers });
  const ids = await response.text().then(
    (body) => new Set(body.match(/"id":\d+/g)).size,
    (error) => String(error),
  );
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { status: response.status, isComplete: ids === orderCount, seconds: seconds.toFixed(1) };
}

async function cancel({ baseUrl, keys }: LocalService, id: number): Promise<number> {
  const headers = { Authorization: `Bearer ${keys.enterprise}` };
  const response = await fetch(`${baseUrl}/store/orders/${id}`, { method: 'DELETE', headers });
  await response.arrayBuffer();
  return response.status;
}

/** Writes to DynamoDB directly, without the time of the gateway and the function. */
async function write(client: DynamoDBClient, { tables }: LocalService): Promise<number> {
  const update = new UpdateItemCommand({
    TableName: tables.orders,
    Key: { id: { N: String(orderCount - 1) } },
    UpdateExpression: 'SET petId = :petId',
    ExpressionAttributeValues: { ':petId': { N: '1' } },
  });
  const answer = await client.send(update).catch((error) => error);
  return answer.$metadata?.httpStatusCode ?? 0;
}

interface Sample {
  readonly status: number;
  readonly milliseconds: number;
}

async function repeat(
  signal: AbortSignal,
  work: (index: number) => Promise<number>,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let index = 0; !signal.aborted; index++) {
    const startedAtMs = performance.now();
    const status = await work(index);
    samples.push({ status, milliseconds: performance.now() - startedAtMs });
    await pause(betweenWritesMs);
  }
  return samples;
}

function summary(samples: readonly Sample[]) {
  const times = samples.map(({ milliseconds }) => Math.round(milliseconds)).sort((a, b) => a - b);
  const statuses = Object.groupBy(samples, ({ status }) => String(status));
  return {
    statuses: Object.entries(statuses)
      .map(([status, of]) => `${of!.length} times ${status}`)
      .join(', '),
    medianMs: times[Math.floor(times.length / 2)],
    longestMs: times.at(-1),
    aboveHalfASecond: times.filter((milliseconds) => milliseconds > 500).length,
  };
}
