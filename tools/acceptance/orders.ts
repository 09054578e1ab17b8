import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Send } from '../smoke/stage/http-client.ts';
import { Differs } from './evidence.ts';

export const orderCount = 100_000;
export const cancellationCount = 1_000;
/** Fewer than half of the 10 environments that some new accounts can run: each request takes two. */
export const atOnce = 4;
const coldRounds = 5;

/** Lines for `orders import`, with ids from 1. */
export function* orderLines(): Generator<string> {
  for (let id = 1; id <= orderCount; id++) {
    yield `{"id":${id},"petId":${id % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}\n`;
  }
}

const decoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  identity: (body) => body,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/**
 * Reads the whole list.
 *
 * @param accepted the content coding that the client accepts
 * @returns its size and times, if it has all orders and this coding
 */
export async function timedList(base: URL, key: string, accepted: string): Promise<string> {
  const { get } = base.protocol === 'https:' ? https : http;
  const startedMs = performance.now();
  const request = get(`${base.href}/store/orders`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': accepted },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  let firstMs = 0;
  for await (const chunk of response) {
    firstMs ||= performance.now() - startedMs;
    chunks.push(chunk);
  }
  const totalMs = performance.now() - startedMs;
  const body = Buffer.concat(chunks);
  const { 'content-encoding': coding = 'identity' } = response.headers;
  const text = decoders[coding]?.(body).toString() ?? '';
  if (response.statusCode !== 200)
    throw new Differs(`${response.statusCode} ${text.slice(0, 200)}`);
  const { length } = JSON.parse(text);
  const seen = `${length} orders as ${coding}, ${body.length} bytes, first byte after ${ms(firstMs)}, whole after ${ms(totalMs)}`;
  if (length !== orderCount || coding !== accepted) throw new Differs(seen);
  return seen;
}

/**
 * Cancels orders, a few at once, and measures from here.
 *
 * @param renew makes sure that the next requests start new environments of the functions
 */
export async function timedCancellations(
  send: Send,
  key: string,
  signal: AbortSignal,
  renew: () => Promise<void>,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const statuses = new Map<number, number>();
  let id = 0;
  const cancel = async () => {
    const { status, durationMs } = await send({
      method: 'DELETE',
      path: `/store/orders/${++id}`,
      headers,
    });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    return durationMs;
  };
  const round = () => {
    signal.throwIfAborted();
    return Promise.all(Array.from({ length: atOnce }, cancel));
  };
  const cold: number[] = [];
  for (let each = 0; each < coldRounds; each++) {
    await renew();
    cold.push(...(await round()));
  }
  const warm: number[] = [];
  while (id < cancellationCount) warm.push(...(await round()));
  const counts = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  const seen = `${counts}; cold ${percentiles(cold)}; warm ${percentiles(warm)}`;
  if (statuses.get(204) !== cancellationCount) throw new Differs(seen);
  return seen;
}

/** The 50th, 90th and 99th percentile: the nearest sample that at least as many are not above. */
export function percentiles(samplesMs: readonly number[]): string {
  const sorted = samplesMs.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
  return `p50 ${ms(at(0.5))}, p90 ${ms(at(0.9))}, p99 ${ms(at(0.99))}`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
