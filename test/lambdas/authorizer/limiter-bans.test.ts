import { describe, expect, it } from '@jest/globals';
import type { Decision } from '../../../lambdas/authorizer/decision.ts';
import { address, type Overrides } from '../../helpers/dynamodb/key-items.ts';
import { keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  banSeconds,
  type LimitedOwner,
  limitedOwners,
  minute,
  nextDay,
  startSeconds,
  tolerated,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

async function sendUntilBanned(owner: LimitedOwner): Promise<Decision> {
  await owner.put(used(60, 60));
  await owner.decideInTurn(tolerated);
  return owner.decide();
}

const codes = (decisions: Decision[]) => decisions.map((decision) => decision.rejection?.code);

describe.each(keyTables)('R26: continued sending, on %s', (_, startTable) => {
  const theOwner = limitedOwners(startTable);

  it('is tolerated as often as the plan says', async () => {
    const owner = theOwner();
    await owner.put(used(60, 60));

    const decisions = await owner.decideInTurn(tolerated);

    expect(codes(decisions)).toEqual(Array(tolerated).fill('rate_limit_exceeded'));
    const { bannedUntil, rejectionCount } = await owner.entry();
    expect(bannedUntil).toBeUndefined();
    expect(rejectionCount).toEqual({ N: String(tolerated) });
  });

  it('bans the key at the next rejection, and says until when', async () => {
    const owner = theOwner();

    const decision = await sendUntilBanned(owner);

    const bannedUntil = startSeconds + banSeconds;
    expect(decision).toMatchObject({
      limit: 60,
      remaining: 0,
      reset: bannedUntil,
      retryAfterSeconds: banSeconds,
      isBanStart: true,
    });
    expect(decision.rejection?.code).toBe('api_key_banned');
    expect(await owner.entry()).toMatchObject({ bannedUntil: { N: String(bannedUntil) } });
  });

  it('withholds what is left of the other window as well', async () => {
    const owner = theOwner();

    const { rateLimit, rateLimitPolicy } = await sendUntilBanned(owner);

    expect(rateLimit).toBe(`"minute";r=0;t=${banSeconds}, "day";r=0;t=${banSeconds}`);
    expect(rateLimitPolicy).toBe('"minute";q=60;w=60, "day";q=1000;w=86400');
  });

  it('bans once, of many requests at once in one environment', async () => {
    const owner = theOwner();
    await owner.put(used(60, 60));

    const decisions = await owner.decideAtOnce(100);
    const later = await owner.decideInTurn(10);

    expect([...decisions, ...later].filter(({ isBanStart }) => isBanStart)).toHaveLength(1);
    expect(decisions.every((decision) => decision.rejection)).toBe(true);
    expect(later.at(-1)!.rejection?.code).toBe('api_key_banned');
  });

  it('bans once, of many requests in turn in many environments, and none too early', async () => {
    const owner = theOwner();
    await owner.put(used(60, 60));
    const environments = [1, 2, 3].map(() => owner.environment());

    const decisions: Decision[] = [];
    for (let index = 0; index < 30; index++) {
      decisions.push(await environments[index % 3]!.decide(address));
    }

    const starts = decisions.flatMap(({ isBanStart }, index) => (isBanStart ? [index] : []));
    expect(starts).toHaveLength(1);
    expect(starts[0]).toBeGreaterThanOrEqual(tolerated);
    expect(codes(decisions.slice(starts[0]))).toEqual(
      Array(decisions.length - starts[0]!).fill('api_key_banned'),
    );
  });

  it('costs a read and no write while the key is banned', async () => {
    const owner = theOwner();
    await sendUntilBanned(owner);
    const before = await owner.item();

    const { result, reads, writes } = await owner.cost(() => owner.decide());

    expect(result.rejection?.code).toBe('api_key_banned');
    expect(result.isBanStart).toBeFalsy();
    expect({ reads, writes }).toEqual({ reads: 1, writes: 0 });
    expect(await owner.item()).toEqual(before);
  });

  it('costs a read and no write in an environment that has not cached the banned key', async () => {
    const owner = theOwner();
    await sendUntilBanned(owner);

    const { result, reads, writes } = await owner.cost(() => owner.environment().decide(address));

    expect(result.rejection?.code).toBe('api_key_banned');
    expect({ reads, writes }).toEqual({ reads: 1, writes: 0 });
  });

  it('keeps the key banned when the windows have turned', async () => {
    const owner = theOwner();
    await sendUntilBanned(owner);
    owner.wait(60);

    const decision = await owner.decide();

    expect(decision).toMatchObject({ remaining: 0, retryAfterSeconds: banSeconds - 60 });
    expect(decision.reset).toBe(startSeconds + banSeconds);
    expect(decision.rejection?.code).toBe('api_key_banned');
  });

  it('waits for the day, when that is later than the end of the ban', async () => {
    const owner = theOwner();
    await owner.put({ ...used(60, 1_000), bannedUntil: minute + 100 });

    const decision = await owner.decide();

    const seconds = nextDay - startSeconds;
    expect(decision).toMatchObject({ remaining: 0, reset: nextDay, retryAfterSeconds: seconds });
    expect(decision.rateLimit).toBe(`"minute";r=0;t=${seconds}, "day";r=0;t=${seconds}`);
    expect(decision.rejection?.code).toBe('api_key_banned');
  });

  it('serves the key when the ban is over, to the second', async () => {
    const owner = theOwner();
    const banned = await sendUntilBanned(owner);
    owner.wait(banned.retryAfterSeconds - 1);
    const tooEarly = await owner.decide();
    owner.wait(1);

    const served = await owner.decide();

    expect(tooEarly.rejection?.code).toBe('api_key_banned');
    expect(served.rejection).toBeUndefined();
  });

  it('is over at the second that the ban ends, also for a key that is refused again', async () => {
    const owner = theOwner();
    await owner.put({ ...used(60, 60), bannedUntil: startSeconds });

    const decision = await owner.decide();

    expect(decision.rejection?.code).toBe('rate_limit_exceeded');
    expect(decision.retryAfterSeconds).toBe(40);
  });

  it('starts from nothing in another minute', async () => {
    const owner = theOwner();
    await owner.put({ ...used(60, 60), rejectionWindow: minute - 60, rejectionCount: tolerated });

    const decision = await owner.decide();

    expect(decision.rejection?.code).toBe('rate_limit_exceeded');
    expect(await owner.entry()).toMatchObject({
      rejectionWindow: { N: String(minute) },
      rejectionCount: { N: '1' },
    });
  });

  it('never bans a key whose plan has no rule', async () => {
    const owner = theOwner();
    await owner.put({ ...used(60, 60), plan: 'unheard-of' });

    const decisions = await owner.decideInTurn(10);

    expect(new Set(codes(decisions))).toEqual(new Set(['rate_limit_exceeded']));
    expect(await owner.entry()).toMatchObject({ rejectionCount: { N: '10' } });
  });

  describe('where the counter changes between the read and the write', () => {
    const banDue = { ...used(60, 60), rejectionWindow: minute, rejectionCount: tolerated };

    /** @param meanwhile the changes by another machine or an operator after the read */
    async function environmentWith(owner: LimitedOwner, meanwhile: object, at: Overrides = banDue) {
      await owner.put(at);
      const { client } = owner.table;
      return owner.environment({
        send: async (command) => {
          const answer = await client.send(command);
          if ('Item' in answer) await owner.put({ ...at, ...meanwhile });
          return answer;
        },
      });
    }

    async function decideWith(owner: LimitedOwner, meanwhile: object, at?: Overrides) {
      return (await environmentWith(owner, meanwhile, at)).decide(address);
    }

    it('does not ban when a machine with a faster clock has begun to count anew', async () => {
      const owner = theOwner();

      const decision = await decideWith(owner, { rejectionWindow: minute + 60, rejectionCount: 1 });

      expect(decision).toMatchObject({ isBanStart: false });
      expect(decision.rejection?.code).toBe('rate_limit_exceeded');
      expect((await owner.entry()).bannedUntil).toBeUndefined();
    });

    it('counts the request that it could not count together with the next one', async () => {
      const owner = theOwner();
      const anew = { rejectionWindow: minute + 60, rejectionCount: 1 };
      const environment = await environmentWith(owner, anew);
      await environment.decide(address);
      const uncounted = await owner.entry();

      await environment.decide(address);

      expect(uncounted).toMatchObject({ rejectionCount: { N: '1' } });
      expect(await owner.entry()).toMatchObject({ rejectionCount: { N: '3' } });
    });

    it('knows that it has begun no ban when it was only to be counted', async () => {
      const owner = theOwner();
      const ban = { bannedUntil: minute + 200, bannedBy: 'another!' };

      const decision = await decideWith(owner, ban, used(60, 60));

      expect(decision).toMatchObject({ isBanStart: false, reset: minute + 200 });
      expect(decision.rejection?.code).toBe('api_key_banned');
    });

    it('begins no second ban when another request has begun one', async () => {
      const owner = theOwner();

      const decision = await decideWith(owner, { bannedUntil: minute + 200, bannedBy: 'another!' });

      expect(decision).toMatchObject({ isBanStart: false, reset: minute + 200 });
      expect(decision.rejection?.code).toBe('api_key_banned');
    });

    it('admits when the limit is raised', async () => {
      const owner = theOwner();

      const decision = await decideWith(owner, { perMinute: 300 });

      expect(decision).toMatchObject({ limit: 300, remaining: 239 });
      expect(decision.rejection).toBeUndefined();
    });

    it('counts no request as refused that it then admits', async () => {
      const owner = theOwner();
      const raised = { perMinute: 300 };
      const environment = await environmentWith(owner, raised);
      await environment.decide(address);
      await owner.put({ ...used(300, 300), ...raised });

      // Its cached state still has requests left; the failed write shows that there are none.
      await environment.decide(address);
      await environment.decide(address);

      expect(await owner.entry()).toMatchObject({ rejectionCount: { N: '2' } });
    });
  });
});
