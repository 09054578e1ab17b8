import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { plans } from '../../../../lib/settings/plans.ts';
import type { IssuedKey } from '../../../admin/keys/issue-key.ts';
import { rotateKey } from '../../../admin/keys/rotate-key.ts';
import { setOwnerPlan } from '../../../admin/owners/set-owner-plan.ts';
import { RunningStore, thisMinute } from '../e2e/running-store.ts';
import { type ServiceClock, serviceClock } from '../e2e/service-clock.ts';
import { cancelContradictions, type Exchange, limitContradictions } from './history.ts';
import { randomFrom } from './random.ts';

/*
 * Clients of several owners and keys send a thousand requests at once, across the end of a minute, while
 * plans change and keys are rotated, revoked and banned. No owner exceeds its limit, each order is
 * cancelled once, and an operator's change applies to all later requests.
 */

const isNightly = process.env.ADVERSITY === 'nightly';
/** The number of concurrent requests in a minute, and again in the next one. */
const requestsAtOnce = isNightly ? 3_000 : 510;
const minutes = isNightly ? 5 : 1;
const orderIds = Array.from({ length: 40 * minutes }, (_, index) => String(index + 1));

let clock: ServiceClock;
let store: RunningStore;
let startMs: number;

beforeAll(async () => {
  // A second before a minute's end, and not ahead of the system's clock, which ends the time of functions.
  startMs = (thisMinute() - 60 * (minutes - 1)) * 1_000 - 1_000;
  clock = serviceClock('staging', startMs);
  store = await RunningStore.start({ ...clock.serviceOptions });
  await store.putOrders(orderIds.map((id) => ({ id, status: 'pending' })));
});

afterAll(async () => {
  await store?.[Symbol.asyncDispose]();
  clock?.[Symbol.dispose]();
});

async function exchange(key: IssuedKey, orderId?: string): Promise<Exchange> {
  const beganAtMs = performance.now();
  const asked =
    orderId === undefined
      ? store.call('GET', '/pets/1', { token: key.apiKey })
      : store.cancel(orderId, key.apiKey);
  // On a slow machine, a request can time out. Its outcome is then unknown.
  const answer = await asked.catch((error: NodeJS.ErrnoException) => unanswered(error));
  return { ownerId: key.ownerId, orderId, answer, beganAtMs, endedAtMs: performance.now() };
}

function unanswered(error: Error): Exchange['answer'] {
  if (!/^no answer|ECONNRESET|socket hang up/.test(error.message)) throw error;
  return { status: 599, headers: new Map(), text: '' };
}

describe('over a thousand requests at once, across the end of a minute', () => {
  it('admits the limits and cancels once, while keys and plans change', async () => {
    const random = randomFrom(process.env.RACE_SEED ?? 1, 'races');
    const free = await store.issue('free');
    const grown = await store.issue('free');
    const [rotated, revoked, banned] = await Promise.all(
      Array.from({ length: 3 }, () => store.issue('enterprise')),
    );
    // Twice, so that its minute is full.
    const keys = [free, free, grown, rotated!, revoked!, banned!];
    const minuteWindow = startMs / 1_000 - 59;
    await Promise.all(keys.map((key) => store.setCounters(key, { minuteWindow })));
    const limits = new Map(keys.map(({ ownerId, perMinute }) => [ownerId, perMinute]));
    limits.set(grown.ownerId, plans.pro.perMinute);
    const cancelling = [rotated!, await store.issueAnother(rotated!), banned!];
    const burst = () =>
      Array.from({ length: requestsAtOnce }, () =>
        random.chance(0.5)
          ? exchange(random.pick(keys))
          : exchange(random.pick(cancelling), random.pick(orderIds)),
      );
    const changes = async () => {
      await setOwnerPlan(grown.ownerId, { plan: 'pro' }, store.keys);
      await store.revoke(revoked!);
      await store.setCounters(banned!, { bannedUntil: startMs / 1_000 + 60 * minutes + 200 });
      cancelling.push(await rotateKey(rotated!.keyId, 3_600, store.keys));
    };

    const exchanges: Exchange[] = [];
    for (let minute = 0; minute < minutes; minute++) {
      clock.set(startMs + minute * 60_000);
      const before = burst();
      if (minute === 0) await changes();
      clock.set(startMs + minute * 60_000 + 1_000);
      exchanges.push(...(await Promise.all([...before, ...burst()])));
    }
    const after = await Promise.all([exchange(revoked!), exchange(banned!), exchange(grown)]);

    expect(cancelContradictions(exchanges)).toEqual([]);
    expect(limitContradictions(exchanges, limits)).toEqual([]);
    const seen = new Set(exchanges.map(({ answer }) => answer.status));
    expect([...seen]).toEqual(expect.arrayContaining([204, 401, 409, 410, 429]));
    expect(after.map(({ answer }) => answer.status).slice(0, 2)).toEqual([401, 429]);
    expect(after[2]!.answer.headers.get('x-ratelimit-limit')).toEqual(['300']);
    for (const { orderId, answer } of exchanges) {
      if (answer.status !== 204) continue;
      expect((await store.orderItem(orderId!)).status).toEqual({ S: 'cancelled' });
    }
  }, 600_000);
});
