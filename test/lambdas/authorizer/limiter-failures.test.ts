import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type CapturedLines, captureLines } from '../../helpers/captured-lines.ts';
import { address, keyId } from '../../helpers/dynamodb/key-items.ts';
import { type KeyTable, keyTables } from '../../helpers/dynamodb/key-tables.ts';
import {
  type LimitedOwner,
  limitedOwners,
  minute,
  tolerated,
  used,
} from '../../helpers/dynamodb/limited-owner.ts';

type Send = KeyTable['client']['send'];

const throttled = new Error('The table is throttled');

/** Sends every write twice, like the SDK after a lost response. */
function repeating({ table }: LimitedOwner): KeyTable['client'] {
  const { send } = table.client;
  return {
    send: async (command) => {
      if (!(command instanceof GetItemCommand)) await send(command).catch(() => {});
      return send(command);
    },
  };
}

describe.each(keyTables)('when DynamoDB misbehaves, the limiter on %s', (_, startTable) => {
  const theOwner = limitedOwners(startTable);
  let captured: CapturedLines;

  beforeEach(() => {
    captured = captureLines();
  });

  afterEach(() => captured.release());

  describe('whose write is repeated because its answer was lost', () => {
    it('costs the client one request, and admits none too many', async () => {
      const owner = theOwner();
      await owner.put(used(58, 58));
      const limiter = owner.environment(repeating(owner));

      const first = await limiter.decide(address);
      const second = await limiter.decide(address);

      expect(first).toMatchObject({ remaining: 0 });
      expect(first.rejection).toBeUndefined();
      expect(second.rejection?.code).toBe('rate_limit_exceeded');
      expect(await owner.item()).toMatchObject({ minuteCount: { N: '60' } });
    });

    it('turns a window once, and counts the repetition in it', async () => {
      const owner = theOwner();
      await owner.put();
      const limiter = owner.environment(repeating(owner));

      const decision = await limiter.decide(address);

      expect(decision.rejection).toBeUndefined();
      expect(Number((await owner.item()).minuteCount?.N)).toBeLessThanOrEqual(3);
    });

    it('knows the ban that its own first attempt began, and counts it once', async () => {
      const owner = theOwner();
      const banDue = { rejectionWindow: minute, rejectionCount: tolerated };
      await owner.put({ ...used(60, 60), ...banDue });
      const limiter = owner.environment(repeating(owner));

      const first = await limiter.decide(address);
      const second = await limiter.decide(address);

      expect(first).toMatchObject({ isBanStart: true });
      expect(first.rejection?.code).toBe('api_key_banned');
      expect(second.isBanStart).toBeFalsy();
    });
  });

  describe('that is throttled', () => {
    const failingFrom = (owner: LimitedOwner, isFailing: (calls: number) => boolean) => {
      let calls = 0;
      const send: Send = async (command) => {
        if (isFailing(++calls)) throw throttled;
        return owner.table.client.send(command);
      };
      return owner.environment({ send });
    };

    it('refuses what it has read to be full, though it cannot count it, and logs why', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));
      const limiter = failingFrom(owner, (calls) => calls === 2);

      const decision = await limiter.decide(address);

      expect(decision.rejection?.code).toBe('rate_limit_exceeded');
      expect(captured.lines()).toMatchObject([
        {
          level: 'ERROR',
          message: 'A rejection was not counted',
          keyId,
          error: { message: 'The table is throttled' },
        },
      ]);
    });

    it('refuses nothing by what it remembers alone', async () => {
      const owner = theOwner();
      await owner.put(used(60, 60));
      const limiter = failingFrom(owner, (calls) => calls > 2);
      await limiter.decide(address);

      await expect(limiter.decide(address)).rejects.toBe(throttled);
    });

    it.each([1, 2])('passes the error of question %i on', async (failing) => {
      const owner = theOwner();
      await owner.put(used(3, 3));
      const limiter = failingFrom(owner, (calls) => calls === failing);

      await expect(limiter.decide(address)).rejects.toBe(throttled);
    });
  });

  it('fails, and takes no key for invalid, where a write is answered with nothing', async () => {
    const owner = theOwner();
    await owner.put(used(3, 3));
    const send: Send = async (command) => {
      if (command instanceof GetItemCommand) return owner.table.client.send(command);
      return {};
    };

    const decided = owner.environment({ send }).decide(address);

    await expect(decided).rejects.toThrow('does not say what it wrote');
  });

  it('ends with an error when no attempt succeeds, not in an endless loop', async () => {
    // Without a limit in the item, the conditions of both an admission and a rejection fail.
    const owner = theOwner();
    await owner.put({ ...used(3, 3), minuteWindow: 'not a number' });

    const cost = await owner.cost(() => owner.decide().catch((error: Error) => error.message));

    expect(cost.result).toContain('changed with every attempt');
    expect(cost.writes).toBe(4);
  });
});
