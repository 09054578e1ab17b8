import type { Exchange } from './invariant-checker.ts';
import type { InvariantName, Violations } from './invariants.ts';
import { type ProcessUse, useOf } from './processes.ts';

/** The figures of a few seconds of the run. */
export interface Sample {
  /** Since the beginning of the run, at the end of the sample. */
  readonly seconds: number;
  readonly phase: string;
  readonly isFaultFree: boolean;
  readonly requestsPerSecond: number;
  /** Undefined if no request was answered. */
  readonly latencyMs: Latency | undefined;
  /** The number of answers by status; 'none' stands for a request without a whole answer. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly processes: Readonly<Record<string, ProcessUse | undefined>>;
  /** Since the beginning of the run. */
  readonly violations: Readonly<Record<InvariantName, number>>;
}

export interface Latency {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Combines the answers and the use of processes into samples. */
export class Sampler {
  readonly samples: Sample[] = [];
  readonly #processIds: Readonly<Record<string, number>>;
  readonly #violations: Violations;
  readonly #startedAtMs = performance.now();
  #sampledAtMs = this.#startedAtMs;
  #exchanges: Exchange[] = [];

  constructor(processIds: Readonly<Record<string, number>>, violations: Violations) {
    this.#processIds = processIds;
    this.#violations = violations;
  }

  record(exchange: Exchange): void {
    this.#exchanges.push(exchange);
  }

  sample({ name, isFaultFree }: { readonly name: string; readonly isFaultFree: boolean }): Sample {
    const nowMs = performance.now();
    const exchanges = this.#exchanges;
    this.#exchanges = [];
    const processes = Object.entries(this.#processIds).map(([process, id]) => [process, useOf(id)]);
    const sample: Sample = {
      seconds: Math.round((nowMs - this.#startedAtMs) / 1_000),
      phase: name,
      isFaultFree,
      requestsPerSecond: (exchanges.length * 1_000) / (nowMs - this.#sampledAtMs),
      latencyMs: latencyOf(exchanges.map(({ startedAtMs, endedAtMs }) => endedAtMs - startedAtMs)),
      statuses: statusesOf(exchanges),
      processes: Object.fromEntries(processes),
      violations: { ...this.#violations.counts },
    };
    this.#sampledAtMs = nowMs;
    this.samples.push(sample);
    return sample;
  }
}

/** The percentiles of times in milliseconds; undefined if there are none. */
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
