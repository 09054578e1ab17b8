import { describe, expect, it } from '@jest/globals';
import { keyId, ownerId } from '../../helpers/dynamodb/key-items.ts';
import { keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  day,
  keysOfOwner,
  limitedOwners,
  minute,
  nextDay,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

describe.each(keyTables)('the limiter on %s', (_, startTable) => {
  const theOwner = limitedOwners(startTable);

  describe('while there is something left', () => {
    it('admits a cached key with one write, which counts in both windows', async () => {
      const owner = theOwner();
      await owner.put(used(6, 29));
      await owner.decide();

      const { result, reads, writes } = await owner.cost(() => owner.decide());

      expect(result).toEqual({
        ownerId,
        keyId,
        plan: 'free',
        limit: 60,
        remaining: 52,
        reset: minute + 60,
        rateLimitPolicy: '"minute";q=60;w=60, "day";q=1000;w=86400',
        rateLimit: `"minute";r=52;t=40, "day";r=969;t=${nextDay - minute - 20}`,
        retryAfterSeconds: 40,
      });
      expect({ reads, writes }).toEqual({ reads: 0, writes: 1 });
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '8' }, dayCount: { N: '31' } });
    });

    it('reads a key that it has not cached, and then counts with one write', async () => {
      const owner = theOwner();
      await owner.put(used(6, 29));

      const { result, reads, writes } = await owner.cost(() => owner.decide());

      expect(result.remaining).toBe(53);
      expect({ reads, writes }).toEqual({ reads: 1, writes: 1 });
    });

    it('turns both windows at the first request of a new owner, with the same write', async () => {
      const owner = theOwner();
      await owner.put();

      const { result, writes } = await owner.cost(() => owner.decide());

      expect(result).toMatchObject({ limit: 60, remaining: 59, reset: minute + 60 });
      expect(writes).toBe(1);
      expect(await owner.item()).toMatchObject({
        minuteWindow: { N: String(minute) },
        minuteCount: { N: '1' },
        dayWindow: { N: String(day) },
        dayCount: { N: '1' },
      });
    });

    it('notes the minute of the last use in the key, with the same write', async () => {
      const owner = theOwner();
      await owner.put(used(6, 29));

      await owner.decide();

      expect(await owner.entry()).toMatchObject({ usedAt: { N: String(minute) } });
    });

    it('turns the minute that it has seen before with one write, and keeps the day', async () => {
      const owner = theOwner();
      await owner.put(used(58, 30));
      await owner.decide();
      owner.wait(60);

      const { result, reads, writes } = await owner.cost(() => owner.decide());

      expect(result).toMatchObject({ remaining: 59, reset: minute + 120 });
      expect({ reads, writes }).toEqual({ reads: 0, writes: 1 });
      expect(await owner.item()).toMatchObject({
        minuteCount: { N: '1' },
        priorMinuteWindow: { N: String(minute) },
        priorMinuteCount: { N: '59' },
        dayCount: { N: '32' },
        priorDayWindow: { N: '0' },
      });
    });

    it('counts in a minute that another environment was quicker to turn', async () => {
      const owner = theOwner();
      await owner.put({ ...used(7, 7), minuteWindow: minute - 60 });
      const other = owner.environment();
      const addresses = keysOfOwner(1);
      await owner.decide();
      await other.decide(addresses[0]!);
      owner.wait(60);
      await owner.decide();

      const { result, writes } = await owner.cost(() => other.decide(addresses[0]!));

      expect(result.remaining).toBe(58);
      expect(writes).toBe(2);
    });

    it('turns the minute when it is over, and not a millisecond before', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));
      owner.nowMs = (minute + 60) * 1_000 - 1;
      const before = await owner.decide();
      owner.nowMs++;

      const after = await owner.decide();

      expect(before.rejection?.code).toBe('rate_limit_exceeded');
      expect(before.retryAfterSeconds).toBe(1);
      expect(before.rateLimit).toMatch(/^"minute";r=0;t=1,/);
      expect(after).toMatchObject({ remaining: 59, reset: minute + 120 });
    });

    it('turns the day at midnight UTC', async () => {
      const owner = theOwner();
      await owner.put(used(3, 1_000));
      owner.nowMs = nextDay * 1_000;

      const decision = await owner.decide();

      expect(decision.rejection).toBeUndefined();
      expect(await owner.item()).toMatchObject({
        dayWindow: { N: String(nextDay) },
        dayCount: { N: '1' },
        priorDayWindow: { N: String(day) },
        priorDayCount: { N: '1000' },
      });
    });
  });

  describe('of any number of requests at once', () => {
    it('R24: admits exactly the limit, each with a remaining of its own', async () => {
      const owner = theOwner();
      await owner.put();

      const decisions = await owner.decideAtOnce(100);

      const admitted = decisions.filter((decision) => !decision.rejection);
      const remaining = admitted.map((decision) => decision.remaining).sort((a, b) => b - a);
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '60' }, dayCount: { N: '60' } });
    });

    it("R24: admits exactly the owner's limit over all of its keys", async () => {
      const owner = theOwner();
      const addresses = keysOfOwner(10);
      await owner.put({}, Object.fromEntries(addresses.map(({ tokenHash }) => [tokenHash, {}])));
      const environments = [1, 2, 3, 4, 5].map(() => owner.environment());
      const requests = Array.from({ length: 100 }, (_, index) =>
        environments[index % environments.length]!.decide(addresses[index % addresses.length]!),
      );

      const decisions = await Promise.all(requests);

      const admitted = decisions.filter((decision) => !decision.rejection);
      const remaining = admitted.map((decision) => decision.remaining).sort((a, b) => b - a);
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index));
      expect(new Set(decisions.map((decision) => decision.ownerId))).toEqual(new Set([ownerId]));
      expect(new Set(decisions.map((decision) => decision.keyId)).size).toBe(10);
    });

    it('admits exactly what is left when many turn the window', async () => {
      const owner = theOwner();
      await owner.put({ ...used(60, 980), minuteWindow: minute - 60 });

      const decisions = await owner.decideAtOnce(50);

      expect(decisions.filter((decision) => !decision.rejection)).toHaveLength(20);
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '20' } });
      expect(await owner.item()).toMatchObject({ dayCount: { N: '1000' } });
    });
  });

  describe('R22: the headers', () => {
    it.each([
      ['the minute when it has less left', used(50, 100), 60, 9, minute + 60],
      ['the day when it has less left', used(10, 990), 1_000, 9, nextDay],
      ['the minute on a tie', used(50, 990), 60, 9, minute + 60],
    ])('R23: describe %s, with its reset', async (_name, uses, limit, left, reset) => {
      const owner = theOwner();
      await owner.put(uses);

      const decision = await owner.decide();

      expect(decision).toMatchObject({ limit, remaining: left, reset });
    });

    it('describe both windows by name, whichever has the least left', async () => {
      const owner = theOwner();
      await owner.put(used(10, 990));

      const { rateLimit, rateLimitPolicy } = await owner.decide();

      expect(rateLimitPolicy).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
      expect(rateLimit).toBe(`"minute";r=49;t=40, "day";r=9;t=${nextDay - minute - 20}`);
    });

    it('describe the day when it is used up and the minute is not', async () => {
      const owner = theOwner();
      await owner.put(used(10, 1_000));

      expect(await owner.decide()).toMatchObject({ limit: 1_000, remaining: 0, reset: nextDay });
    });

    it('describe the minute when both are used up, and Retry-After waits for the day', async () => {
      const owner = theOwner();
      await owner.put(used(60, 1_000));

      const decision = await owner.decide();

      expect(decision).toMatchObject({ limit: 60, remaining: 0, reset: minute + 60 });
      expect(decision.retryAfterSeconds).toBe(nextDay - minute - 20);
      expect(decision.rejection?.code).toBe('quota_exceeded');
    });

    it('round seconds up to whole ones', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));
      owner.nowMs += 1;

      const { retryAfterSeconds, rateLimit } = await owner.decide();

      expect(retryAfterSeconds).toBe(40);
      expect(rateLimit).toMatch(/^"minute";r=0;t=40,/);
    });
  });
});
