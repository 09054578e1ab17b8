import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLimiter, type Judge } from '../../../lambdas/authorizer/limiter.ts';
import type { Verdict } from '../../../lambdas/authorizer/verdict.ts';
import { UnauthorizedError } from '../../../lambdas/shared/errors.ts';
import { type CapturedLines, captureLines } from '../../helpers/captured-lines.ts';
import { keyHash, keyId } from '../../helpers/key-items.ts';
import { type KeyTable, keyTables } from '../../helpers/key-tables.ts';

const minute = Date.UTC(2026, 10, 20, 12, 34) / 1_000;
const day = Date.UTC(2026, 10, 20) / 1_000;
const nextDay = day + 86_400;
const tolerated = 3;
const banSeconds = 300;
const banRules = { free: { toleratedRejectionsPerMinute: tolerated, banSeconds } };

describe.each(keyTables)('the limiter on %s', (_, startTable) => {
  let table: KeyTable;
  let judge: Judge;
  let nowMs: number;

  beforeAll(async () => {
    table = await startTable();
  });

  beforeEach(() => {
    nowMs = (minute + 20) * 1_000;
    judge = limiterAt(() => nowMs);
    table.calls = 0;
  });

  afterAll(() => table.stop());

  function limiterAt(now: () => number): Judge {
    const client = table.client as never;
    return createLimiter({ client, tableName: table.tableName, banRules, now });
  }

  const inSeconds = (seconds: number) => {
    nowMs += seconds * 1_000;
  };
  const used = (minuteCount: number, dayCount: number) => ({
    minuteWindow: minute,
    minuteCount,
    dayWindow: day,
    dayCount,
  });
  const judgeTimes = (times: number) =>
    Promise.all(Array.from({ length: times }, () => judge(keyHash)));

  describe('while there is something left', () => {
    it('admits with one write, which counts in both windows', async () => {
      await table.put(used(7, 30));

      const verdict = await judge(keyHash);

      expect(verdict).toEqual({
        keyId,
        plan: 'free',
        limit: 60,
        remaining: 52,
        reset: minute + 60,
        retryAfterSeconds: 40,
      });
      expect(table.calls).toBe(1);
      expect(await table.item()).toMatchObject({ minuteCount: { N: '8' }, dayCount: { N: '31' } });
    });

    it('turns both windows at the first request of a new key, with one more write', async () => {
      await table.put();

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ limit: 60, remaining: 59, reset: minute + 60 });
      expect(table.calls).toBe(2);
      expect(await table.item()).toMatchObject({
        minuteWindow: { N: String(minute) },
        minuteCount: { N: '1' },
        dayWindow: { N: String(day) },
        dayCount: { N: '1' },
      });
    });

    it('turns the minute alone, and keeps the count of the day', async () => {
      await table.put({ ...used(60, 30), minuteWindow: minute - 60 });

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ remaining: 59 });
      expect(await table.item()).toMatchObject({ minuteCount: { N: '1' }, dayCount: { N: '31' } });
      expect(table.calls).toBe(2);
    });

    it('turns the minute when it is over, and not a millisecond before', async () => {
      await table.put(used(60, 60));
      nowMs = (minute + 60) * 1_000 - 1;
      const before = await judge(keyHash);
      nowMs++;

      const after = await judge(keyHash);

      expect(before.rejection?.code).toBe('rate_limit_exceeded');
      expect(before.retryAfterSeconds).toBe(1);
      expect(after).toMatchObject({ remaining: 59, reset: minute + 120 });
    });

    it('turns the day at midnight UTC', async () => {
      await table.put(used(3, 1_000));
      nowMs = nextDay * 1_000;

      const verdict = await judge(keyHash);

      expect(verdict.rejection).toBeUndefined();
      expect(await table.item()).toMatchObject({
        dayWindow: { N: String(nextDay) },
        dayCount: { N: '1' },
      });
    });

    it('counts in a window that a machine with a faster clock has begun', async () => {
      await table.put(used(5, 5));
      nowMs = (minute - 1) * 1_000;

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ remaining: 54, reset: minute + 60, retryAfterSeconds: 61 });
      expect(await table.item()).toMatchObject({ minuteWindow: { N: String(minute) } });
      expect(table.calls).toBe(1);
    });

    it('never empties a full window that lies ahead of its own clock', async () => {
      await table.put(used(60, 60));
      nowMs = (minute - 1) * 1_000;

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ remaining: 0, reset: minute + 60, retryAfterSeconds: 61 });
      expect(await table.item()).toMatchObject({ minuteCount: { N: '60' } });
    });

    it('R24: admits exactly the limit of 200 requests at once', async () => {
      await table.put();

      const verdicts = await judgeTimes(200);

      const admitted = verdicts.filter((verdict) => !verdict.rejection);
      const remaining = admitted.map((verdict) => verdict.remaining).sort((a, b) => b - a);
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
      expect(await table.item()).toMatchObject({ minuteCount: { N: '60' }, dayCount: { N: '60' } });
    });

    it('admits exactly what is left when many requests turn the window at once', async () => {
      await table.put({ ...used(60, 980), minuteWindow: minute - 60 });

      const verdicts = await judgeTimes(50);

      expect(verdicts.filter((verdict) => !verdict.rejection)).toHaveLength(20);
      expect(await table.item()).toMatchObject({ minuteCount: { N: '20' } });
      expect(await table.item()).toMatchObject({ dayCount: { N: '1000' } });
    });

    it('shows a changed plan at the next request', async () => {
      await table.put(used(60, 60));
      const before = await judge(keyHash);
      await table.put({ ...used(60, 60), plan: 'pro', perMinute: 300, perDay: 10_000 });

      const after = await judge(keyHash);

      expect(before).toMatchObject({ plan: 'free', limit: 60, remaining: 0 });
      expect(after).toMatchObject({ plan: 'pro', limit: 300, remaining: 239 });
    });

    it('shows nothing left, and not less, when a plan becomes smaller than what is used', async () => {
      await table.put(used(200, 200));

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ limit: 60, remaining: 0 });
      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
    });
  });

  describe('R22: the headers', () => {
    it.each([
      ['the minute when it has less left', used(50, 100), 60, 9, minute + 60],
      ['the day when it has less left', used(10, 990), 1_000, 9, nextDay],
      ['the minute on a tie', used(50, 990), 60, 9, minute + 60],
    ])('R23: describe %s, with its reset', async (_name, uses, limit, left, reset) => {
      await table.put(uses);

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ limit, remaining: left, reset });
    });

    it('describe the day when it is used up and the minute is not', async () => {
      await table.put(used(10, 1_000));

      expect(await judge(keyHash)).toMatchObject({ limit: 1_000, remaining: 0, reset: nextDay });
    });

    it('describe the minute when both are used up, and Retry-After waits for the day', async () => {
      await table.put(used(60, 1_000));

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ limit: 60, remaining: 0, reset: minute + 60 });
      expect(verdict.retryAfterSeconds).toBe(nextDay - minute - 20);
      expect(verdict.rejection?.code).toBe('quota_exceeded');
    });
  });

  describe('beyond a limit', () => {
    it.each([
      ['minute', used(60, 60), 'rate_limit_exceeded', 40],
      ['day', used(10, 1_000), 'quota_exceeded', nextDay - minute - 20],
    ])('R24: refuses when the %s is used up', async (_name, uses, code, seconds) => {
      await table.put(uses);

      const { rejection, retryAfterSeconds } = await judge(keyHash);

      expect(rejection?.code).toBe(code);
      expect(rejection?.message).toContain(`Retry after ${seconds} seconds.`);
      expect(retryAfterSeconds).toBe(seconds);
    });

    it('consumes nothing of either window, and counts the rejection', async () => {
      await table.put(used(60, 60));

      await judge(keyHash);
      await judge(keyHash);

      expect(await table.item()).toMatchObject({
        minuteCount: { N: '60' },
        dayCount: { N: '60' },
        rejectionWindow: { N: String(minute) },
        rejectionCount: { N: '2' },
      });
    });

    it('rounds Retry-After up to whole seconds', async () => {
      await table.put(used(60, 60));
      nowMs = (minute + 20) * 1_000 + 1;

      expect((await judge(keyHash)).retryAfterSeconds).toBe(40);
    });

    it('R25: serves a client that has waited for Retry-After', async () => {
      await table.put(used(60, 60));
      const refused = await judge(keyHash);
      inSeconds(refused.retryAfterSeconds);

      const served = await judge(keyHash);

      expect(served.rejection).toBeUndefined();
      expect(served.remaining).toBe(59);
    });
  });

  describe('R26: continued sending', () => {
    async function sendUntilBanned(): Promise<Verdict> {
      await table.put(used(60, 60));
      for (let index = 0; index < tolerated; index++) await judge(keyHash);
      return judge(keyHash);
    }

    it('is tolerated as often as the plan says', async () => {
      await table.put(used(60, 60));

      const verdicts = [];
      for (let index = 0; index < tolerated; index++) verdicts.push(await judge(keyHash));

      expect(verdicts.map((verdict) => verdict.rejection?.code)).toEqual(
        Array(tolerated).fill('rate_limit_exceeded'),
      );
      expect((await table.item()).bannedUntil).toBeUndefined();
    });

    it('bans the key at the next rejection, and says until when', async () => {
      const verdict = await sendUntilBanned();

      const bannedUntil = minute + 20 + banSeconds;
      expect(verdict).toMatchObject({
        limit: 60,
        remaining: 0,
        reset: bannedUntil,
        retryAfterSeconds: banSeconds,
        isBanStart: true,
      });
      expect(verdict.rejection?.code).toBe('api_key_banned');
      expect(await table.item()).toMatchObject({ bannedUntil: { N: String(bannedUntil) } });
    });

    it('bans once when many go beyond the tolerance at once', async () => {
      await table.put(used(60, 60));

      const verdicts = await judgeTimes(100);

      expect(verdicts.filter((verdict) => verdict.isBanStart)).toHaveLength(1);
      expect(verdicts.every((verdict) => verdict.rejection)).toBe(true);
      expect(await table.item()).toMatchObject({ rejectionCount: { N: String(tolerated + 1) } });
    });

    it('costs a banned key nothing but the condition that fails', async () => {
      await sendUntilBanned();
      const before = await table.item();
      table.calls = 0;

      const verdict = await judge(keyHash);

      expect(table.calls).toBe(1);
      expect(verdict.rejection?.code).toBe('api_key_banned');
      expect(verdict.isBanStart).toBe(false);
      expect(await table.item()).toEqual(before);
    });

    it('keeps the key banned when the windows have turned', async () => {
      await sendUntilBanned();
      inSeconds(60);

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ remaining: 0, retryAfterSeconds: banSeconds - 60 });
      expect(verdict.reset).toBe(minute + 20 + banSeconds);
      expect(verdict.rejection?.code).toBe('api_key_banned');
    });

    it('waits for the day, when that is later than the end of the ban', async () => {
      await table.put({ ...used(60, 1_000), bannedUntil: minute + 100 });

      const verdict = await judge(keyHash);

      expect(verdict).toMatchObject({ remaining: 0, reset: nextDay });
      expect(verdict.rejection?.code).toBe('api_key_banned');
    });

    it('serves the key when the ban is over, to the second', async () => {
      const banned = await sendUntilBanned();
      inSeconds(banned.retryAfterSeconds - 1);
      const tooEarly = await judge(keyHash);
      inSeconds(1);

      const served = await judge(keyHash);

      expect(tooEarly.rejection?.code).toBe('api_key_banned');
      expect(served.rejection).toBeUndefined();
    });

    it('is over at the second that the ban ends, also for a key that is refused again', async () => {
      await table.put({ ...used(60, 60), bannedUntil: minute + 20 });

      const verdict = await judge(keyHash);

      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
      expect(verdict.retryAfterSeconds).toBe(40);
    });

    it('starts from nothing in another minute', async () => {
      await table.put({
        ...used(60, 60),
        rejectionWindow: minute - 60,
        rejectionCount: tolerated,
      });

      const verdict = await judge(keyHash);

      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
      expect(await table.item()).toMatchObject({
        rejectionWindow: { N: String(minute) },
        rejectionCount: { N: '1' },
      });
    });

    it('never bans a key whose plan has no rule', async () => {
      await table.put({ ...used(60, 60), plan: 'unheard-of' });

      const verdicts = [];
      for (let index = 0; index < 10; index++) verdicts.push(await judge(keyHash));

      expect(new Set(verdicts.map((verdict) => verdict.rejection?.code))).toEqual(
        new Set(['rate_limit_exceeded']),
      );
    });
  });

  describe('when the key changes between a refusal and its count', () => {
    const banDue = { ...used(60, 60), rejectionWindow: minute, rejectionCount: tolerated };

    /** @param change what another request or an operator makes of the key */
    async function judgeWith(change: Parameters<KeyTable['put']>[0]): Promise<Verdict> {
      await table.put(banDue);
      const client = {
        send: async (command: Parameters<KeyTable['client']['send']>[0]) => {
          if (table.calls === 1) await table.put({ ...banDue, ...change });
          return table.client.send(command);
        },
      } as never;
      const { tableName } = table;
      return createLimiter({ client, tableName, banRules, now: () => nowMs })(keyHash);
    }

    it('does not ban when a machine with a faster clock has begun to count anew', async () => {
      const ahead = { rejectionWindow: minute + 60, rejectionCount: 1 };

      const verdict = await judgeWith(ahead);

      expect(verdict).toMatchObject({ isBanStart: false });
      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
      expect(await table.item()).toMatchObject({ rejectionCount: { N: '2' } });
    });

    it('tries no further when the key is revoked', async () => {
      const verdict = await judgeWith({ status: 'revoked' });

      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
      expect(table.calls).toBe(2);
    });

    it('lets the client return at once when the limit is raised', async () => {
      const verdict = await judgeWith({ perMinute: 300, rejectionCount: 0 });

      expect(verdict).toMatchObject({ limit: 300, remaining: 240, retryAfterSeconds: 1 });
    });
  });

  describe('R18: a key that is invalid', () => {
    it.each([
      ['revoked', { status: 'revoked' }],
      ['expired at this very second', { expiresAt: minute + 20 }],
      ['long expired', { expiresAt: 1 }],
      ['revoked while banned', { status: 'revoked', bannedUntil: minute + 500 }],
      ['revoked with its quota used up', { ...used(60, 1_000), status: 'revoked' }],
      ['expired at this very second, in steady use', { ...used(3, 3), expiresAt: minute + 20 }],
      ['without a status', { status: undefined }],
    ])('is refused when %s, and nothing is written', async (_name, overrides) => {
      await table.put(overrides);
      const before = await table.item();

      await expect(judge(keyHash)).rejects.toThrow(new UnauthorizedError());

      expect(table.calls).toBe(1);
      expect(await table.item()).toEqual(before);
    });

    it('is refused when unknown, in the same way and at the same price', async () => {
      await expect(judge('0'.repeat(64))).rejects.toThrow(new UnauthorizedError());

      expect(table.calls).toBe(1);
    });

    it('is served until the second before it expires', async () => {
      await table.put({ ...used(3, 3), expiresAt: minute + 21 });

      expect((await judge(keyHash)).rejection).toBeUndefined();
    });

    it('is refused from the next request on when it is revoked', async () => {
      await table.put(used(3, 3));
      await judge(keyHash);
      await table.put({ ...used(4, 4), status: 'revoked' });

      await expect(judge(keyHash)).rejects.toThrow(UnauthorizedError);
    });
  });

  describe('when DynamoDB misbehaves', () => {
    let captured: CapturedLines;

    beforeEach(() => {
      captured = captureLines();
    });

    afterEach(() => captured.release());

    it('costs the client one request, and admits none too many, when a lost answer repeats the write', async () => {
      await table.put(used(58, 58));
      const send = table.client.send;
      const client = {
        send: async (command: Parameters<typeof send>[0]) => {
          await send(command);
          return send(command);
        },
      } as never;
      judge = createLimiter({
        client,
        tableName: table.tableName,
        banRules,
        now: () => nowMs,
      });

      const first = await judge(keyHash);
      const second = await judge(keyHash);

      expect(first).toMatchObject({ remaining: 0 });
      expect(first.rejection).toBeUndefined();
      expect(second.rejection?.code).toBe('rate_limit_exceeded');
      expect(await table.item()).toMatchObject({ minuteCount: { N: '60' } });
    });

    it('refuses with 429 also when the rejection cannot be counted, and logs why', async () => {
      await table.put(used(60, 60));
      const client = {
        send: async (command: Parameters<KeyTable['client']['send']>[0]) => {
          if (table.calls === 1) throw new Error('The table is throttled');
          return table.client.send(command);
        },
      } as never;
      judge = createLimiter({ client, tableName: table.tableName, banRules, now: () => nowMs });

      const verdict = await judge(keyHash);

      expect(verdict.rejection?.code).toBe('rate_limit_exceeded');
      expect(captured.lines()).toMatchObject([
        { level: 'ERROR', keyId, error: { message: 'The table is throttled' } },
      ]);
    });

    it('passes an error of the first write on', async () => {
      const failure = new Error('The table is throttled');
      const client = { send: async () => Promise.reject(failure) } as never;
      judge = createLimiter({ client, tableName: table.tableName, banRules });

      await expect(judge(keyHash)).rejects.toBe(failure);
    });

    it('ends with an error when no attempt succeeds, not in an endless loop', async () => {
      // A key without a count can be neither counted nor turned.
      await table.put({ ...used(3, 3), minuteCount: undefined });

      await expect(judge(keyHash)).rejects.toThrow('changed with every attempt');

      expect(table.calls).toBe(4);
    });
  });
});
