import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LocalRun, startLocally } from './local.ts';
import { type Findings, median } from './report.ts';
import type { Workbench } from './workbench.ts';

/** Just above what a list allowed once. */
const slowBytesPerSecond = 140_000;

/**
 * Measures how long an owner waits for the first byte of a list while another one reads many lists
 * slowly, beside an idle service. Each list is larger than what the connection's buffers hold.
 */
export async function benchSlowReaders({ isQuick }: Workbench): Promise<Findings> {
  const [orders, readers, lists] = isQuick ? [100, 2, 1] : [60_000, 50, 5];
  const directory = mkdtempSync(join(tmpdir(), 'slow-readers-'));
  using _ = { [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
  const file = join(directory, 'orders.jsonl');
  await writeOrders(file, orders);
  await using run = await startLocally(undefined, ['--orders', file]);
  await firstByteMs(run);

  const idle = await firstBytesMs(run, lists);
  const leaving = new AbortController();
  for (let reader = 0; reader < readers; reader++) {
    // That they are cut off is what is wanted.
    readSlowly(run, leaving.signal).catch(() => {});
  }
  // Until the first lists wait for their readers.
  await pause(isQuick ? 0 : 3_000);
  const beside = await firstBytesMs(run, lists);
  leaving.abort();

  const measured = { idle, [`${readers} slow readers of another owner`]: beside };
  const rows = Object.entries(measured).map(([name, values]) => [
    name,
    { medianMs: median(values), longestMs: Math.max(...values) },
  ]);
  return {
    title: `Slow readers: the first byte of a list of ${orders} orders`,
    measured: Object.fromEntries(rows),
    figures: { slow_readers_first_byte_vs_idle: median(beside) / median(idle) },
  };
}

async function writeOrders(file: string, count: number): Promise<void> {
  const output = createWriteStream(file);
  const order = { petId: 7, quantity: 1, shipDate: '2026-01-01T00:00:00.000Z', complete: false };
  for (let index = 1; index <= count; index++) {
    output.write(`${JSON.stringify({ id: 8e15 + index, ...order, status: 'pending' })}\n`);
  }
  output.end();
  await once(output, 'finish');
}

async function firstBytesMs(run: LocalRun, lists: number): Promise<number[]> {
  const found: number[] = [];
  while (found.length < lists) found.push(await firstByteMs(run));
  return found;
}

/** @throws Error when the list breaks off */
async function firstByteMs(run: LocalRun): Promise<number> {
  const startedAtMs = performance.now();
  const body = await list(run, 'enterprise');
  let waitedMs: number | undefined;
  for await (const _ of body) waitedMs ??= performance.now() - startedAtMs;
  return waitedMs!;
}

/** @throws Error when the list is cut off */
async function readSlowly(run: LocalRun, signal: AbortSignal): Promise<void> {
  const body = await list(run, 'free', signal);
  const startedAtMs = performance.now();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    const dueMs = (1_000 * bytes) / slowBytesPerSecond;
    await pause(Math.max(0, startedAtMs + dueMs - performance.now()), undefined, { signal });
  }
}

async function list({ baseUrl, keys }: LocalRun, plan: string, signal: AbortSignal | null = null) {
  const headers = { Authorization: `Bearer ${keys[plan]}`, 'Accept-Encoding': 'identity' };
  const { status, body } = await fetch(`${baseUrl}/store/orders`, { headers, signal });
  if (status !== 200 || !body) throw new Error(`A list was answered ${status}.`);
  return body;
}
