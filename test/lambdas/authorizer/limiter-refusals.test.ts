import { describe, expect, it } from '@jest/globals';
import { UnauthorizedError } from '../../../lambdas/shared/errors.ts';
import { address, ownerHash } from '../../helpers/dynamodb/key-items.ts';
import { keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  keysOfOwner,
  limitedOwners,
  minute,
  nextDay,
  startSeconds,
  tolerated,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

describe.each(keyTables)('a refusal on %s', (_, startTable) => {
  const theOwner = limitedOwners(startTable);

  describe('beyond a limit', () => {
    it.each([
      ['minute', used(60, 60), 'rate_limit_exceeded', 40],
      ['day', used(10, 1_000), 'quota_exceeded', nextDay - startSeconds],
    ])('R24: comes when the %s is used up', async (_name, uses, code, seconds) => {
      const owner = theOwner();
      await owner.put(uses);

      const { rejection, retryAfterSeconds } = await owner.decide();

      expect(rejection?.code).toBe(code);
      expect(rejection?.message).toContain(`Retry after ${seconds} seconds.`);
      expect(retryAfterSeconds).toBe(seconds);
    });

    it('consumes nothing of either window, and is counted in its key', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));

      await owner.decideInTurn(2);

      expect(await owner.item()).toMatchObject({ minuteCount: { N: '60' }, dayCount: { N: '60' } });
      expect(await owner.entry()).toMatchObject({
        rejectionWindow: { N: String(minute) },
        rejectionCount: { N: '2' },
      });
    });

    it('costs one write, also for a key that is not cached', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));

      const first = await owner.cost(() => owner.decide());
      const second = await owner.cost(() => owner.decide());

      expect(first).toMatchObject({ reads: 1, writes: 1 });
      expect(second).toMatchObject({ reads: 0, writes: 1 });
    });

    it('costs one write where another environment has used the last request', async () => {
      const owner = theOwner();
      await owner.put(used(58, 58));
      await owner.decide();
      await owner.environment().decide(address);

      const { result, reads, writes } = await owner.cost(() => owner.decide());

      expect(result.rejection?.code).toBe('rate_limit_exceeded');
      expect({ reads, writes }).toEqual({ reads: 0, writes: 1 });
    });

    it('is counted with the next one where its own write could not count it', async () => {
      const owner = theOwner();
      await owner.put(used(58, 58));
      await owner.decide();
      await owner.environment().decide(address);
      await owner.decide();
      const uncounted = await owner.entry();

      await owner.decide();

      expect(uncounted.rejectionCount).toBeUndefined();
      expect(await owner.entry()).toMatchObject({ rejectionCount: { N: '2' } });
    });

    it('is forgotten where the next one comes in another minute', async () => {
      const owner = theOwner();
      await owner.put(used(58, 1_000 - 2));
      await owner.decide();
      await owner.environment().decide(address);
      await owner.decide();
      owner.wait(60);

      await owner.decide();

      expect(await owner.entry()).toMatchObject({
        rejectionWindow: { N: String(minute + 60) },
        rejectionCount: { N: '1' },
      });
    });

    it("I31: is counted for its own key, and not for the owner's others", async () => {
      const owner = theOwner();
      const [one, other] = keysOfOwner(2);
      await owner.put(used(60, 60), { [one!.tokenHash]: {}, [other!.tokenHash]: {} });

      for (let index = 0; index <= tolerated; index++) await owner.decide(one);

      expect((await owner.decide(one)).rejection?.code).toBe('api_key_banned');
      expect((await owner.decide(other)).rejection?.code).toBe('rate_limit_exceeded');
    });

    it('R25: is the last for a client that waits for Retry-After', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));
      const refused = await owner.decide();
      owner.wait(refused.retryAfterSeconds);

      const served = await owner.decide();

      expect(served.rejection).toBeUndefined();
      expect(served.remaining).toBe(59);
    });

    it('has nothing left to show, and not less, when a plan became smaller than what is used', async () => {
      const owner = theOwner();
      await owner.put(used(200, 200));

      const decision = await owner.decide();

      expect(decision).toMatchObject({ limit: 60, remaining: 0 });
      expect(decision.rejection?.code).toBe('rate_limit_exceeded');
    });
  });

  describe('R18: of a key that is invalid', () => {
    it.each([
      ['whose owner is suspended', { status: 'suspended' }],
      ['that expires at this very second', { expiresAt: startSeconds }],
      ['that has long expired', { expiresAt: 1 }],
      [
        'whose owner is suspended while it is banned',
        { status: 'suspended', bannedUntil: minute + 500 },
      ],
      ['whose owner is suspended and has used all', { ...used(60, 1_000), status: 'suspended' }],
      [
        'that expires at this very second, in steady use',
        { ...used(3, 3), expiresAt: startSeconds },
      ],
      ['of an owner without a status', { status: undefined }],
    ])('costs a read and no write for one %s', async (_name, overrides) => {
      const owner = theOwner();
      await owner.put(overrides);
      const before = await owner.item();

      const first = await owner.cost(() => owner.decide().catch((error: Error) => error));
      const second = await owner.cost(() => owner.decide().catch((error: Error) => error));

      for (const cost of [first, second]) {
        expect(cost).toEqual({ result: new UnauthorizedError(), reads: 1, writes: 0 });
      }
      expect(await owner.item()).toEqual(before);
    });

    it.each([
      ['of an owner that there is not', { ownerHash: 'none', tokenHash: 'none' }],
      ['invented by someone who has held a key of the owner', { ownerHash, tokenHash: 'none' }],
      ['whose hash is the name of a property', { ownerHash, tokenHash: '__proto__' }],
    ])('costs a read and no write for one %s, each time', async (_name, invented) => {
      const owner = theOwner();
      await owner.put(used(3, 3));

      for (let request = 0; request < 3; request++) {
        const cost = await owner.cost(() => owner.decide(invented).catch((error: Error) => error));

        expect(cost).toEqual({ result: new UnauthorizedError(), reads: 1, writes: 0 });
      }
    });

    it('does not come before the second in which the key expires', async () => {
      const owner = theOwner();
      await owner.put({ ...used(3, 3), expiresAt: startSeconds + 1 });

      const served = await owner.decide();
      owner.wait(1);

      expect(served.rejection).toBeUndefined();
      await expect(owner.decide()).rejects.toThrow(UnauthorizedError);
    });
  });
});
