import { describe, expect, it } from '@jest/globals';
import { clockToleranceSeconds } from '../../../lambdas/shared/windows.ts';
import { address } from '../../helpers/dynamodb/key-items.ts';
import { keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  banSeconds,
  day,
  type LimitedOwner,
  limitedOwners,
  minute,
  nextDay,
  startSeconds,
  tolerated,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

const far = minute + 3_600;

describe.each(keyTables)('clocks that differ, on %s:', (_, startTable) => {
  const theOwner = limitedOwners(startTable);

  it('a request counts in a window that a machine with a faster clock has begun', async () => {
    const owner = theOwner();
    await owner.put(used(5, 5));
    owner.nowMs = (minute - 1) * 1_000;

    const { result, writes } = await owner.cost(() => owner.decide());

    expect(result).toMatchObject({ remaining: 54, reset: minute + 60, retryAfterSeconds: 61 });
    expect(await owner.item()).toMatchObject({ minuteWindow: { N: String(minute) } });
    expect(writes).toBe(1);
  });

  it('a full window that lies ahead of its own clock is never emptied', async () => {
    const owner = theOwner();
    await owner.put(used(60, 60));
    owner.nowMs = (minute - clockToleranceSeconds) * 1_000;

    const decision = await owner.decide();

    const retryAfterSeconds = 60 + clockToleranceSeconds;
    expect(decision).toMatchObject({ remaining: 0, reset: minute + 60, retryAfterSeconds });
    expect(await owner.item()).toMatchObject({ minuteCount: { N: '60' } });
  });

  describe('a window that no right clock can have begun', () => {
    it('gives way to the current one, which has what was counted in it', async () => {
      const owner = theOwner();
      await owner.put({ ...used(7, 30), minuteWindow: far });

      const decision = await owner.decide();

      expect(decision).toMatchObject({ remaining: 52, reset: minute + 60 });
      expect(await owner.item()).toMatchObject({
        minuteWindow: { N: String(minute) },
        minuteCount: { N: '8' },
        dayCount: { N: '31' },
      });
    });

    it('gives way to the one before it, with all that both have counted', async () => {
      const owner = theOwner();
      const prior = { priorMinuteWindow: minute, priorMinuteCount: 40 };
      await owner.put({ ...used(5, 45), minuteWindow: far, ...prior });

      const decision = await owner.decide();

      expect(decision.remaining).toBe(14);
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '46' } });
    });

    it('admits nothing beyond the limit, whoever puts it right', async () => {
      const owner = theOwner();
      const prior = { priorMinuteWindow: minute, priorMinuteCount: 40 };
      await owner.put({ ...used(15, 55), minuteWindow: far, ...prior });
      const environments = [1, 2, 3].map(() => owner.environment());

      const decisions = await Promise.all(
        Array.from({ length: 12 }, (_, index) => environments[index % 3]!.decide(address)),
      );

      expect(decisions.filter(({ rejection }) => !rejection)).toHaveLength(5);
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '60' } });
    });

    it('gives way also when it is full, so that the owner is served in the next minute', async () => {
      const owner = theOwner();
      await owner.put({ ...used(60, 60), minuteWindow: far });
      const refused = await owner.decide();
      owner.wait(refused.retryAfterSeconds);

      const served = await owner.decide();

      expect(refused.rejection?.code).toBe('rate_limit_exceeded');
      expect(refused.retryAfterSeconds).toBe(40);
      expect(served.remaining).toBe(59);
    });

    it('gives way for the day as well', async () => {
      const owner = theOwner();
      const prior = { priorDayWindow: day, priorDayCount: 900 };
      await owner.put({ ...used(7, 50), dayWindow: nextDay, ...prior });

      const decision = await owner.decide();

      expect(decision).toMatchObject({ limit: 1_000, remaining: 49, reset: nextDay });
      expect(await owner.item()).toMatchObject({
        dayWindow: { N: String(day) },
        dayCount: { N: '951' },
      });
    });

    it.each([
      ['minute', { minuteWindow: far }, far + 1, startSeconds],
      ['day', { dayWindow: nextDay }, nextDay - 290, nextDay - 310],
    ])(
      'is put right by nobody who only remembers it: a %s',
      async (_name, window, seenSeconds, laterSeconds) => {
        const owner = theOwner();
        await owner.put({ ...used(7, 30), ...window });
        const slow = owner.environment();
        owner.nowMs = seenSeconds * 1_000;
        await slow.decide(address);
        owner.nowMs = laterSeconds * 1_000;

        const cost = await owner.cost(() => slow.decide(address));

        expect(cost).toMatchObject({ reads: 1, writes: 1 });
      },
    );
  });

  it('a minute that is refused because the day is full is put right with the next admission', async () => {
    const owner = theOwner();
    await owner.put({ ...used(7, 1_000), minuteWindow: far });
    const refused = await owner.decide();
    const between = await owner.item();
    owner.nowMs = nextDay * 1_000;

    const served = await owner.decide();

    expect(refused.rejection?.code).toBe('quota_exceeded');
    expect(between).toMatchObject({ minuteWindow: { N: String(far) } });
    expect(served.rejection).toBeUndefined();
  });

  describe('a ban that is longer than any', () => {
    const longest = startSeconds + banSeconds + clockToleranceSeconds;

    it.each([
      ['admitted', used(3, 3), undefined],
      ['refused', used(60, 60), 'rate_limit_exceeded'],
    ])('does not hold, also not later, for a request that is %s', async (_name, uses, code) => {
      const owner = theOwner();
      await owner.put({ ...uses, bannedUntil: longest + 1 });

      const decision = await owner.decide();
      owner.wait(60);
      const later = await owner.decide();

      expect(decision.rejection?.code).toBe(code);
      expect(later.rejection).toBeUndefined();
    });

    it('holds as long as a right clock can have begun it', async () => {
      const owner = theOwner();
      await owner.put({ ...used(3, 3), bannedUntil: longest });

      expect((await owner.decide()).rejection?.code).toBe('api_key_banned');
    });
  });

  it('a count of rejections that no right clock can have begun starts from nothing', async () => {
    const owner = theOwner();
    const rejections = { rejectionWindow: far, rejectionCount: tolerated };
    await owner.put({ ...used(60, 60), ...rejections });

    const decision = await owner.decide();

    expect(decision.rejection?.code).toBe('rate_limit_exceeded');
    expect(await owner.entry()).toMatchObject({
      rejectionWindow: { N: String(minute) },
      rejectionCount: { N: '1' },
    });
  });

  it('a count of rejections that a wrong clock has begun meanwhile is not added to', async () => {
    const owner = theOwner();
    await owner.put({ ...used(60, 60), rejectionWindow: minute, rejectionCount: 1 });
    await owner.decide();
    await owner.put({ ...used(60, 60), rejectionWindow: far, rejectionCount: 1 });

    await owner.decide();
    const between = await owner.entry();
    await owner.decide();

    expect(between).toMatchObject({ rejectionCount: { N: '1' } });
    expect(await owner.entry()).toMatchObject({
      rejectionWindow: { N: String(minute) },
      rejectionCount: { N: '2' },
    });
  });

  it.each([
    ['the next minute', minute + 60],
    ['the last one within the tolerance', minute + clockToleranceSeconds],
  ])(
    'rejections count on in a minute that a faster clock has begun: %s',
    async (_name, rejectionWindow) => {
      const owner: LimitedOwner = theOwner();
      await owner.put({ ...used(60, 60), rejectionWindow, rejectionCount: 1 });
      owner.nowMs = minute * 1_000;

      await owner.decide();

      expect(await owner.entry()).toMatchObject({
        rejectionWindow: { N: String(rejectionWindow) },
        rejectionCount: { N: '2' },
      });
    },
  );
});
