import type { Exchange } from './judge.ts';
import { type ProcessUse, useOf } from './processes.ts';
import type { BrokenPromises, PromiseName } from './promises.ts';

/** What a few seconds of the run were like. */
export interface Sample {
  /** Since the beginning of the run, at the end of the sample. */
  readonly seconds: number;
  readonly phase: string;
  readonly isCalm: boolean;
  readonly requestsPerSecond: number;
  /** Undefined where nothing was answered. */
  readonly latencyMs: Latency | undefined;
  /** How many answers had each status; 'none' is that of a request without a whole answer. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUse | undefined>>;
  /** Since the beginning of the run. */
  readonly broken: Readonly<Record<PromiseName, number>>;
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Takes what is under way together into samples. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly #processIds: Readonly<Record<string, number>>;
  readonly #broken: BrokenPromises;
  readonly #beganAtMs = performance.now();
  #sampledAtMs = this.#beganAtMs;
  #exchanges: Exchange[] = [];

  constructor(processIds: Readonly<Record<string, number>>, broken: BrokenPromises) {
    this.#processIds = processIds;
    this.#broken = broken;
  }

  take(exchange: Exchange): void {
    this.#exchanges.push(exchange);
  }

  sample({ name, isCalm }: { readonly name: string; readonly isCalm: boolean }): Sample {
    const nowMs = performance.now();
    const exchanges = this.#exchanges;
    this.#exchanges = [];
    const processes = Object.entries(this.#processIds).map(([process, id]) => [process, useOf(id)]);
    const sample: Sample = {
      seconds: Math.round((nowMs - this.#beganAtMs) / 1_000),
      phase: name,
      isCalm,
      requestsPerSecond: (exchanges.length * 1_000) / (nowMs - this.#sampledAtMs),
      latencyMs: latencyOf(exchanges.map(({ beganAtMs, endedAtMs }) => endedAtMs - beganAtMs)),
      statuses: statusesOf(exchanges),
      processes: Object.fromEntries(processes),
      broken: { ...this.#broken.counts },
    };
    this.#sampledAtMs = nowMs;
    this.samples.push(sample);
    return sample;
  }
}

/** @param times in milliseconds */
export function latencyOf(times: readonly number[]): Latency | undefined {
  if (times.length === 0) return undefined;
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1]!;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

function statusesOf(exchanges: readonly Exchange[]): Record<string, number> {
  const statuses: Record<string, number> = {};
  for (const { answer } of exchanges) {
    const status = answer.isComplete ? String(answer.status) : 'none';
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}
