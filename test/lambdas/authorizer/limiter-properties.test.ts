import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLimiter } from '../../../lambdas/authorizer/limiter.ts';
import type { Verdict } from '../../../lambdas/authorizer/verdict.ts';
import type { Item } from '../../helpers/expressions.ts';
import { InMemoryTable } from '../../helpers/in-memory-table.ts';
import { keyHash, keyItem } from '../../helpers/key-items.ts';

// Twenty seconds before midnight UTC, so that minutes and days turn under way.
const startMs = Date.UTC(2026, 10, 20, 23, 59, 40);
const banRules = { free: { toleratedRejectionsPerMinute: 4, banSeconds: 90 } };

interface Request {
  /** After the start. */
  sentMs: number;
  /** How far the clock of the machine that judges it is ahead, or behind. */
  skewMs: number;
}

const requests = fc
  .array(
    fc.record({
      sentMs: fc.integer({ min: 0, max: 200_000 }),
      skewMs: fc.constantFrom(-75_000, -2_000, -1, 0, 0, 0, 1, 2_000, 75_000),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((all) => all.sort((a, b) => a.sentMs - b.sentMs));

const limits = fc.record({
  perMinute: fc.integer({ min: 1, max: 8 }),
  perDay: fc.integer({ min: 1, max: 30 }),
});

const numberOf = (item: Item, name: string) => Number(item[name]?.N);

/** The writes that admitted a request. */
function admissions(written: Item[], before: Item): Item[] {
  return written.filter((item, index) => {
    const previous = written[index - 1] ?? before;
    return ['minuteWindow', 'minuteCount'].some(
      (name) => numberOf(item, name) !== numberOf(previous, name),
    );
  });
}

function perWindow(items: Item[], window: string): number[] {
  const counts = new Map<number, number>();
  for (const item of items) {
    const start = numberOf(item, window);
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return [...counts.values()];
}

function isSorted(values: number[]): boolean {
  return values.every((value, index) => index === 0 || value >= values[index - 1]!);
}

/** Judges all requests; their single steps are put in any order by the scheduler. */
async function judgeInterleaved(table: InMemoryTable, all: Request[], scheduler: fc.Scheduler) {
  const send = scheduler.scheduleFunction((command: never) => table.send(command));
  const client = { send } as never;
  const judged = all.map(({ sentMs, skewMs }) =>
    createLimiter({
      client,
      tableName: 'ApiKeys',
      banRules,
      now: () => startMs + sentMs + skewMs,
    })(keyHash),
  );
  await scheduler.waitFor(Promise.allSettled(judged));
  return Promise.allSettled(judged);
}

describe('the limiter, whatever the order of writes and the clocks of machines', () => {
  it('R24: admits no more than the limit in any window, and never moves one back', async () => {
    await fc.assert(
      fc.asyncProperty(limits, requests, fc.scheduler(), async (limit, all, scheduler) => {
        const table = new InMemoryTable();
        const before = keyItem({ ...limit });
        table.items.set(keyHash, before);

        const results = await judgeInterleaved(table, all, scheduler);

        const verdicts = results.map((result) => (result as { value: Verdict }).value);
        const admitted = admissions(table.written, before);
        expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
        expect(verdicts.filter((verdict) => !verdict.rejection)).toHaveLength(admitted.length);
        expect(Math.max(0, ...perWindow(admitted, 'minuteWindow'))).toBeLessThanOrEqual(
          limit.perMinute,
        );
        expect(Math.max(0, ...perWindow(admitted, 'dayWindow'))).toBeLessThanOrEqual(limit.perDay);
        for (const window of ['minuteWindow', 'dayWindow', 'rejectionWindow']) {
          expect(isSorted(table.written.map((item) => numberOf(item, window)))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('refuses nobody while both windows have something left', async () => {
    const few = fc.integer({ min: 1, max: 60 });
    await fc.assert(
      fc.asyncProperty(few, few, fc.scheduler(), async (perMinute, sent, scheduler) => {
        const table = new InMemoryTable();
        table.items.set(keyHash, keyItem({ perMinute }));
        const all = Array.from({ length: sent }, () => ({ sentMs: 0, skewMs: 0 }));

        const results = await judgeInterleaved(table, all, scheduler);

        const admitted = results.filter(
          (result) => result.status === 'fulfilled' && !result.value.rejection,
        );
        expect(admitted).toHaveLength(Math.min(sent, perMinute));
      }),
      { numRuns: 50 },
    );
  });
});

describe('R25: Retry-After', () => {
  const use = fc.record({
    minuteAge: fc.constantFrom(-60, 0, 60, 3_600),
    minuteCount: fc.integer({ min: 0, max: 6 }),
    dayAge: fc.constantFrom(0, 86_400),
    dayCount: fc.integer({ min: 0, max: 12 }),
    rejectionAge: fc.constantFrom(0, 60),
    rejectionCount: fc.integer({ min: 0, max: 4 }),
    bannedForSeconds: fc.option(fc.integer({ min: -100, max: 100_000 }), { nil: undefined }),
    nowMs: fc.integer({ min: startMs, max: startMs + 90_000_000 }),
  });

  it('is enough of a wait, and not a second more than needed, from any state of a key', async () => {
    await fc.assert(
      fc.asyncProperty(use, async (state) => {
        const nowSeconds = Math.floor(state.nowMs / 1_000);
        const { bannedForSeconds } = state;
        const table = new InMemoryTable();
        const item = keyItem({
          perMinute: 5,
          perDay: 10,
          minuteWindow: nowSeconds - (nowSeconds % 60) - state.minuteAge,
          minuteCount: state.minuteCount,
          dayWindow: nowSeconds - (nowSeconds % 86_400) - state.dayAge,
          dayCount: state.dayCount,
          rejectionWindow: nowSeconds - (nowSeconds % 60) - state.rejectionAge,
          rejectionCount: state.rejectionCount,
          bannedUntil: bannedForSeconds === undefined ? undefined : nowSeconds + bannedForSeconds,
        });
        table.items.set(keyHash, item);
        let nowMs = state.nowMs;
        const client = table as never;
        const judge = createLimiter({ client, tableName: 'ApiKeys', banRules, now: () => nowMs });
        const judgeAfter = (seconds: number) => {
          nowMs = state.nowMs + seconds * 1_000;
          return judge(keyHash);
        };

        const first = await judge(keyHash);
        const afterRejection = table.items.get(keyHash)!;
        const wait = first.retryAfterSeconds;

        expect(Number.isInteger(wait) && wait >= 1).toBe(true);
        if (!first.rejection) return;
        if (wait > 1) expect((await judgeAfter(wait - 1)).rejection).toBeDefined();
        table.items.set(keyHash, afterRejection);
        expect((await judgeAfter(wait)).rejection).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });
});
