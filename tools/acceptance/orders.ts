import type { Send } from '../smoke/stage/http-client.ts';
import { headerOf } from '../smoke/stage/rate-limit.ts';
import { shown } from '../smoke/stage/stage.ts';

export const orderCount = 100_000;
export const cancellationCount = 1_000;
/** Fewer than half of the 10 environments that some new accounts can run: each request takes two. */
const atOnce = 4;
const coldRounds = 5;

/** For `orders import`, with ids from 1. */
export function* orderLines(): Generator<string> {
  for (let id = 1; id <= orderCount; id++) {
    yield `{"id":${id},"petId":${id % 500},"quantity":2,"shipDate":"2027-01-04T09:30:00Z","complete":false,"status":"pending"}\n`;
  }
}

/** Reads the whole list. @returns its size and times */
export async function timedList(send: Send, key: string, accepted: string): Promise<string> {
  const startedMs = performance.now();
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': accepted };
  const answer = await send({ method: 'GET', path: '/store/orders', headers });
  const wholeMs = performance.now() - startedMs;
  if (answer.status !== 200) return shown(answer);
  const coding = headerOf(answer, 'content-encoding') ?? 'identity';
  const { length } = JSON.parse(answer.text);
  return `${length} orders as ${coding}, first byte after ${ms(answer.durationMs)}, whole after ${ms(wholeMs)}`;
}

/** Cancels orders, a few at once. After `renew`, the next requests start new environments of the functions. */
export async function timedCancellations(
  send: Send,
  key: string,
  signal: AbortSignal,
  renew: () => Promise<void>,
): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const cold: number[] = [];
  const warm: number[] = [];
  let cancelled = 0;
  for (let id = 1; id <= cancellationCount; id += atOnce) {
    signal.throwIfAborted();
    const isCold = id <= coldRounds * atOnce;
    if (isCold) await renew();
    const paths = Array.from({ length: atOnce }, (_, index) => `/store/orders/${id + index}`);
    const answers = await Promise.all(
      paths.map((path) => send({ method: 'DELETE', path, headers })),
    );
    cancelled += answers.filter(({ status }) => status === 204).length;
    (isCold ? cold : warm).push(...answers.map(({ durationMs }) => durationMs));
  }
  return `${cancelled} × 204; cold ${percentiles(cold)}; warm ${percentiles(warm)}`;
}

function percentiles(samplesMs: readonly number[]): string {
  const sorted = samplesMs.toSorted((one, other) => one - other);
  const at = (percent: number) => ms(sorted[Math.ceil((percent * sorted.length) / 100) - 1]!);
  return `p50 ${at(50)}, p90 ${at(90)}, p99 ${at(99)}`;
}

function ms(value: number): string {
  return `${Math.round(value)} ms`;
}
