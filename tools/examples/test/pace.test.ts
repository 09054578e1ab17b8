import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { rateLimit } from '../../../lambdas/shared/headers.ts';
import {
  isCounting,
  type WindowCounters,
  windowNames,
  windowStarts,
  windowUses,
} from '../../../lambdas/shared/windows.ts';
import { withPace } from '../pace.ts';

const hourMs = 3_600_000;
const endpoint = 'http://127.0.0.1/v1/store/orders';
const free = { perMinute: 60, perDay: 1_000 };
const agreed = { perMinute: 60, perDay: 5_000 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Counts as the service does, and answers after as long as the network would take. */
class Limiter {
  served = 0;
  refused = 0;
  readonly #counters: WindowCounters;

  constructor(limits: { perMinute: number; perDay: number }, usedToday: number) {
    const { day } = windowStarts(Date.now() / 1_000);
    const counters = { minuteWindow: 0, minuteCount: 0, dayWindow: day, dayCount: usedToday };
    this.#counters = { ...limits, ...counters };
  }

  readonly fetch = async (): Promise<Response> => {
    await this.#network();
    const isServed = this.#admit();
    const headers = { RateLimit: rateLimit(windowUses(this.#counters, now()), Date.now()) };
    await this.#network();
    return new Response(null, { status: isServed ? 204 : 429, headers });
  };

  #network = () => new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 100));

  #admit(): boolean {
    const counters = this.#counters;
    for (const name of windowNames) {
      if (isCounting(name, counters[`${name}Window`], now())) continue;
      counters[`${name}Window`] = windowStarts(now())[name];
      counters[`${name}Count`] = 0;
    }
    const { minute, day } = windowUses(counters, now());
    const isServed = minute.remaining > 0 && day.remaining > 0;
    if (isServed) this.served++;
    else this.refused++;
    counters.minuteCount += Number(isServed);
    counters.dayCount += Number(isServed);
    return isServed;
  }
}

const now = () => Math.floor(Date.now() / 1_000);

describe('a client that paces itself', () => {
  it.each([
    ['a fresh key', 2, '12:00:00', free, 0, 1_000],
    ['a half-used day', 2, '12:00:17', free, 500, 500],
    ['a day that ends meanwhile', 3, '23:30:17', free, 500, 500 + 1_000],
    ['a day that is long enough', 2, '12:00:17', agreed, 0, 61 * 60],
    ['no others', 1, '12:00:00', agreed, 0, 60 * 60],
  ])(
    'uses a key for an hour without a refusal: %s',
    async (_, count, start, limits, used, available) => {
      jest.setSystemTime(Date.parse(`2026-11-22T${start}Z`));
      const limiter = new Limiter(limits, used);
      const ending = new AbortController();
      const processes = Array.from({ length: count }, async () => {
        const paced = withPace(limiter.fetch);
        for (;;) await paced(new Request(endpoint, { signal: ending.signal }));
      });

      await Promise.race([jest.advanceTimersByTimeAsync(hourMs), ...processes]);
      ending.abort();
      await Promise.allSettled(processes);

      expect(limiter.refused).toBe(0);
      expect(limiter.served).toBeLessThanOrEqual(available);
      expect(limiter.served).toBeGreaterThanOrEqual(0.95 * available);
    },
  );

  it('lets a request be aborted that waits for its turn, and goes on', async () => {
    jest.setSystemTime(Date.parse('2026-11-22T12:00:00Z'));
    const paced = withPace(new Limiter({ perMinute: 1, perDay: 10 }, 0).fetch);
    const abort = new AbortController();
    const first = paced(new Request(endpoint));
    const aborted = paced(new Request(endpoint, { signal: abort.signal }));
    const third = paced(new Request(endpoint));

    abort.abort(new Error('no longer wanted'));

    await expect(aborted).rejects.toThrow('no longer wanted');
    await jest.advanceTimersByTimeAsync(62_000);
    expect([(await first).status, (await third).status]).toEqual([204, 204]);
  });
});
