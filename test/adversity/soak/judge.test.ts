import { describe, expect, it } from '@jest/globals';
import type { StoreAnswer } from '../faults/store-under-faults.ts';
import { type Exchange, Judge, type RequestKind } from './judge.ts';
import { batchDifferences, noteCancel, rowOf } from './order-batches.ts';
import { BrokenPromises } from './promises.ts';

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

function judged(kind: RequestKind, answers: StoreAnswer[], rest: Partial<Exchange> = {}) {
  const broken = new BrokenPromises();
  const judge = new Judge(broken, { expectedList }, perMinute);
  const times = { beganAtMs: 0, endedAtMs: 10, isUndisturbed: false };
  for (const answer of answers) judge.judge({ kind, answer, ...times, ...rest });
  return broken.counts;
}

/** An answer to the limited owner, counted in the minute that ends at 12:01. */
const admitted = (date: string, seconds: number) =>
  answerOf(404, '', {
    date: `Sat, 21 Nov 2026 ${date} GMT`,
    'x-ratelimit-limit': '2',
    ratelimit: `"minute";r=0;t=${seconds}, "day";r=9;t=9999`,
  });

const list = (...ids: string[]) => answerOf(200, `[${ids.map(rowOf).join(',')}]`);

describe("a soak's judge", () => {
  it('counts what was admitted in a minute, however late the answer is dated', () => {
    const within = [admitted('12:00:10', 50), admitted('12:00:58', 8)];

    expect(judged('limited', within).limit).toBe(0);
    expect(judged('limited', [...within, admitted('12:00:59', 1)]).limit).toBe(1);
    expect(judged('limited', [...within, admitted('12:01:01', 59)]).limit).toBe(0);
  });

  it.each([
    ['lacks an order that was there all the time', list('1'), 1],
    ['has an order that was never there', list('1', '2', '4'), 1],
    ['has an order twice', list('1', '2', '2'), 1],
    ['is cut off and says that it is whole', answerOf(200, `[${rowOf('1')},`), 1],
    ['has an order that came meanwhile', list('2', '3', '1'), 0],
    ['visibly breaks off', answerOf(200, `[${rowOf('1')}`, noAllowance, false), 0],
  ])('judges a list that %s', (_, answer, count) => {
    expect(judged('list', [answer]).list).toBe(count);
  });

  it('asks for the right answers only when nothing has failed for a while', () => {
    const failure = answerOf(503);

    expect(judged('cancel', [failure]).recovery).toBe(0);
    expect(judged('cancel', [failure], { isUndisturbed: true }).recovery).toBe(1);
    expect(judged('bad key', [answerOf(401)], { isUndisturbed: true }).recovery).toBe(0);
  });

  it('refuses an answer that is not documented, comes too late, or has the wrong success', () => {
    expect(judged('cancel', [answerOf(418)]).answer).toBe(1);
    expect(judged('cancel', [answerOf(204)], { endedAtMs: 60_000 }).time).toBe(1);
    expect(judged('bad key', [answerOf(204)]).success).toBe(1);
  });
});

describe('the orders of a soak', () => {
  const batchOf = (answers: StoreAnswer[]) => {
    const record = { told: 0, refused: 0, uncertain: 0 };
    for (const answer of answers) noteCancel(record, answer);
    return { cancels: new Map([['7', record]]) };
  };

  it.each([
    ['cancelled, and one request was told so', 'cancelled', [204, 409], 0],
    ['cancelled, and an answer was lost', 'cancelled', [undefined, 409], 0],
    ['pending, and the service failed', 'pending', [503], 0],
    ['cancelled twice', 'cancelled', [204, 204], 1],
    ['cancelled, and nobody was told', 'cancelled', [409], 1],
    ['pending after a 204', 'pending', [204], 1],
    ['pending after a 409', 'pending', [409], 1],
    ['gone', 'missing', [], 1],
  ])('are judged: an order is %s', (_, status, answers, count) => {
    const batch = batchOf(answers.map((each) => answerOf(each)));

    expect(batchDifferences(batch, new Map([['7', status]]))).toHaveLength(count);
  });
});
