import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Decision } from '../../../lambdas/authorizer/decision.ts';
import type { KeyAddress } from '../../../lambdas/authorizer/key-state.ts';
import { Limiter } from '../../../lambdas/authorizer/limiter.ts';
import { hashToken } from '../../../lambdas/shared/api-key.ts';
import type { Item } from './expressions.ts';
import {
  address,
  entryOf,
  exampleToken,
  type KeyOverrides,
  type Overrides,
  ownerHash,
} from './key-items.ts';
import type { KeyTable } from './key-tables.ts';

/** Twenty seconds into a minute, in the middle of a day. */
export const minute = Date.UTC(2026, 10, 20, 12, 34) / 1_000;
export const day = Date.UTC(2026, 10, 20) / 1_000;
export const nextDay = day + 86_400;
export const startSeconds = minute + 20;

export const tolerated = 3;
export const banSeconds = 300;
const banRules = { free: { toleratedRejectionsPerMinute: tolerated, banSeconds } };

/** The attributes of windows that are current at the start, with the given counts. */
export function used(minuteCount: number, dayCount: number): Overrides {
  return { minuteWindow: minute, minuteCount, dayWindow: day, dayCount };
}

/** The addresses of a number of keys of the example owner, of which the first is the example key. */
export function keysOfOwner(count: number): KeyAddress[] {
  return Array.from({ length: count }, (_, index) => ({
    ownerHash,
    tokenHash: index === 0 ? address.tokenHash : hashToken(exampleToken('so_test_', own(index))),
  }));
}

function own(index: number): string {
  return String(index).padStart(20, '0');
}

/** An owner in a table, a clock, and execution environments, each with a limiter. */
export class LimitedOwner {
  readonly table: KeyTable;
  nowMs = startSeconds * 1_000;
  readonly #limiter: Limiter;

  constructor(table: KeyTable) {
    this.table = table;
    this.#limiter = this.environment();
  }

  /** A new execution environment, which has no key in its cache. */
  environment(client: KeyTable['client'] = this.table.client): Limiter {
    return new Limiter({
      client: client as never,
      tableName: this.table.tableName,
      banRules,
      now: () => this.nowMs,
    });
  }

  /** Decides on one request, always in the same execution environment. */
  decide(key = address): Promise<Decision> {
    return this.#limiter.decide(key);
  }

  decideAtOnce(times: number): Promise<Decision[]> {
    return Promise.all(Array.from({ length: times }, () => this.decide()));
  }

  async decideInTurn(times: number): Promise<Decision[]> {
    const decisions: Decision[] = [];
    for (let index = 0; index < times; index++) decisions.push(await this.decide());
    return decisions;
  }

  wait(seconds: number): void {
    this.nowMs += seconds * 1_000;
  }

  /** Puts the item, as if another machine or an operator had changed it. */
  put(overrides?: Overrides, keys?: KeyOverrides): Promise<void> {
    return this.table.put(overrides, keys);
  }

  item(): Promise<Item> {
    return this.table.item();
  }

  async entry(): Promise<Item> {
    return entryOf(await this.item());
  }

  /** The number of reads and writes of an action. */
  async cost<Result>(action: () => Promise<Result>): Promise<Cost & { result: Result }> {
    const { reads, writes } = this.table;
    const result = await action();
    return { result, reads: this.table.reads - reads, writes: this.table.writes - writes };
  }
}

interface Cost {
  reads: number;
  writes: number;
}

/** Gives each test of a suite its own limited owner, all in one table. */
export function limitedOwners(startTable: () => Promise<KeyTable>): () => LimitedOwner {
  let table: KeyTable;
  let owner: LimitedOwner;
  beforeAll(async () => {
    table = await startTable();
  });
  beforeEach(() => {
    owner = new LimitedOwner(table);
  });
  afterAll(() => table.stop());
  return () => owner;
}
