import { describe, expect, it } from '@jest/globals';
import type { StoreAnswer } from '../faults/store-under-faults.ts';
import { type Exchange, InvariantChecker, type RequestKind } from './invariant-checker.ts';
import { Violations } from './invariants.ts';
import { batchDifferences, recordCancel, rowOf } from './order-batches.ts';

const perMinute = 2;
const noAllowance = {
  'x-ratelimit-limit': '0',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '0',
  'ratelimit-policy': '"minute";q=0;w=60, "day";q=0;w=86400',
  ratelimit: '"minute";r=0;t=0, "day";r=0;t=0',
};
const expectedList = () => ({
  required: new Set(['1', '2']),
  isPossible: (id: string) => ['1', '2', '3'].includes(id),
  rowOf,
});

function answerOf(
  status: number | undefined,
  body = '',
  headers: Record<string, string> = noAllowance,
  isComplete = true,
): StoreAnswer {
  const values = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
  return { status, headers: new Map(values), body: Buffer.from(body), isComplete };
}

function checked(kind: RequestKind, answers: StoreAnswer[], rest: Partial<Exchange> = {}) {
  const violations = new Violations();
  const checker = new InvariantChecker(violations, { expectedList }, perMinute);
  const times = { startedAtMs: 0, endedAtMs: 10, isFaultFree: false };
  for (const answer of answers) checker.check({ kind, answer, ...times, ...rest });
  return violations.counts;
}

/** An answer to the limited owner, counted in the minute that ends at 12:01. */
const admitted = (date: string, seconds: number) =>
  answerOf(404, '', {
    date: `Sat, 21 Nov 2026 ${date} GMT`,
    'x-ratelimit-limit': '2',
    ratelimit: `"minute";r=0;t=${seconds}, "day";r=9;t=9999`,
  });

const list = (...ids: string[]) => answerOf(200, `[${ids.map(rowOf).join(',')}]`);

describe('the invariant checker', () => {
  it('counts what was admitted in a minute, however late the answer is dated', () => {
    const within = [admitted('12:00:10', 50), admitted('12:00:58', 8)];

    expect(checked('limited', within).limit).toBe(0);
    expect(checked('limited', [...within, admitted('12:00:59', 1)]).limit).toBe(1);
    expect(checked('limited', [...within, admitted('12:01:01', 59)]).limit).toBe(0);
  });

  it.each([
    ['lacks an order that was there all the time', list('1'), 1],
    ['has an order that was never there', list('1', '2', '4'), 1],
    ['has an order twice', list('1', '2', '2'), 1],
    ['is cut off and says that it is whole', answerOf(200, `[${rowOf('1')},`), 1],
    ['has an order that came meanwhile', list('2', '3', '1'), 0],
    ['visibly breaks off', answerOf(200, `[${rowOf('1')}`, noAllowance, false), 0],
  ])('checks a list that %s', (_, answer, count) => {
    expect(checked('list', [answer]).list).toBe(count);
  });

  it('expects the right statuses only when there have been no faults for a while', () => {
    const failure = answerOf(503);

    expect(checked('cancel', [failure]).recovery).toBe(0);
    expect(checked('cancel', [failure], { isFaultFree: true }).recovery).toBe(1);
    expect(checked('bad key', [answerOf(401)], { isFaultFree: true }).recovery).toBe(0);
  });

  it('reports an answer that is not documented, comes too late, or has a wrong success status', () => {
    expect(checked('cancel', [answerOf(418)]).answer).toBe(1);
    expect(checked('cancel', [answerOf(204)], { endedAtMs: 60_000 }).time).toBe(1);
    expect(checked('bad key', [answerOf(204)]).success).toBe(1);
  });
});

describe('the orders of a soak', () => {
  const batchOf = (answers: StoreAnswer[]) => {
    const record = { confirmed: 0, rejected: 0, unknown: 0 };
    for (const answer of answers) recordCancel(record, answer);
    return { cancels: new Map([['7', record]]) };
  };

  it.each([
    ['cancelled, and one request was answered 204', 'cancelled', [204, 409], 0],
    ['cancelled, and an answer was lost', 'cancelled', [undefined, 409], 0],
    ['pending, and the service failed', 'pending', [503], 0],
    ['cancelled twice', 'cancelled', [204, 204], 1],
    ['cancelled, without a 204', 'cancelled', [409], 1],
    ['pending after a 204', 'pending', [204], 1],
    ['pending after a 409', 'pending', [409], 1],
    ['gone', 'missing', [], 1],
  ])('are checked: an order is %s', (_, status, answers, count) => {
    const batch = batchOf(answers.map((each) => answerOf(each)));

    expect(batchDifferences(batch, new Map([['7', status]]))).toHaveLength(count);
  });
});
