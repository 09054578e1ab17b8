import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { UnauthorizedError } from '../../../lambdas/shared/errors.ts';
import { address } from '../../helpers/dynamodb/key-items.ts';
import { keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  keysOfOwner,
  limitedOwners,
  minute,
  startSeconds,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

const banned = { ...used(3, 3), bannedUntil: startSeconds + 200 };

describe.each(keyTables)('what an operator changes, on %s,', (_, startTable) => {
  const theOwner = limitedOwners(startTable);

  it('is a larger plan: serves the next request of a key whose window was full', async () => {
    const owner = theOwner();
    await owner.put(used(60, 60));
    const before = await owner.decide();
    await owner.put({ ...used(60, 60), plan: 'pro', perMinute: 300, perDay: 10_000 });

    const after = await owner.decide();

    expect(before).toMatchObject({ plan: 'free', limit: 60, remaining: 0 });
    expect(after).toMatchObject({ plan: 'pro', limit: 300, remaining: 239 });
    expect(after.rejection).toBeUndefined();
  });

  it('is a smaller plan: refuses the next request of a key that has used more', async () => {
    const owner = theOwner();
    await owner.put({ ...used(70, 70), perMinute: 300 });
    await owner.decide();
    await owner.put(used(71, 71));

    expect((await owner.decide()).rejection?.code).toBe('rate_limit_exceeded');
  });

  it('is a revocation: refuses the next request of the key, and serves the other keys', async () => {
    const owner = theOwner();
    const [one, other] = keysOfOwner(2);
    await owner.put(used(3, 3), { [one!.tokenHash]: {}, [other!.tokenHash]: {} });
    await owner.decide(one);
    await owner.put(used(4, 4), { [other!.tokenHash]: {} });

    await expect(owner.decide(one)).rejects.toThrow(UnauthorizedError);

    expect((await owner.decide(other)).rejection).toBeUndefined();
    expect(await owner.item()).toMatchObject({ minuteCount: { N: '5' } });
  });

  it('is a revocation: costs a read, and no write, from the second refusal on', async () => {
    const owner = theOwner();
    await owner.put(used(3, 3));
    await owner.decide();
    await owner.put(used(4, 4), {});
    await owner.decide().catch(() => {});

    const cost = await owner.cost(() => owner.decide().catch((error: Error) => error));

    expect(cost).toEqual({ result: new UnauthorizedError(), reads: 1, writes: 0 });
  });

  it('is a revocation: is read where every write is seen at once', async () => {
    const owner = theOwner();
    await owner.put(used(3, 3));
    const reads: unknown[] = [];
    const limiter = owner.environment({
      send: (command) => {
        if (command instanceof GetItemCommand) reads.push(command.input);
        return owner.table.client.send(command);
      },
    });

    await limiter.decide(address);

    expect(reads).toMatchObject([{ ConsistentRead: true }]);
  });

  it('is a revocation of a key whose window is full, or that is banned: refuses as 401', async () => {
    const owner = theOwner();
    for (const state of [used(60, 60), banned]) {
      await owner.put(state);
      await owner.decide();
      await owner.put(state, {});

      await expect(owner.decide()).rejects.toThrow(UnauthorizedError);
    }
  });

  it('is a suspension: refuses every key of the owner, until it is resumed', async () => {
    const owner = theOwner();
    const keys = keysOfOwner(2);
    const entries = Object.fromEntries(keys.map(({ tokenHash }) => [tokenHash, {}]));
    await owner.put(used(3, 3), entries);
    for (const key of keys) await owner.decide(key);
    await owner.put({ ...used(5, 5), status: 'suspended' }, entries);

    for (const key of keys) await expect(owner.decide(key)).rejects.toThrow(UnauthorizedError);

    await owner.put(used(5, 5), entries);
    for (const key of keys) expect((await owner.decide(key)).rejection).toBeUndefined();
  });

  it('is a lifted ban: serves the next request', async () => {
    const owner = theOwner();
    await owner.put(banned);
    const before = await owner.decide();
    await owner.put(used(3, 3));

    const after = await owner.decide();

    expect(before.rejection?.code).toBe('api_key_banned');
    expect(after.rejection).toBeUndefined();
    expect(after.reset).toBe(minute + 60);
  });

  it('is a ban: refuses the next request of a key in steady use', async () => {
    const owner = theOwner();
    await owner.put(used(2, 2));
    await owner.decide();
    await owner.put(banned);

    const { result, writes } = await owner.cost(() => owner.decide());

    expect(result.rejection?.code).toBe('api_key_banned');
    expect(writes).toBe(1);
    expect(await owner.item()).toMatchObject({ minuteCount: { N: '3' } });
  });

  it('is an earlier expiry: refuses from that second on', async () => {
    const owner = theOwner();
    await owner.put(used(2, 2));
    await owner.decide();
    await owner.put({ ...used(3, 3), expiresAt: startSeconds + 5 });
    const served = await owner.decide();
    owner.wait(5);

    expect(served.rejection).toBeUndefined();
    await expect(owner.decide()).rejects.toThrow(UnauthorizedError);
  });
});
