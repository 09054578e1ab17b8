import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { rateLimit } from '../../../lambdas/shared/headers.ts';
import {
  type WindowName,
  windowLengths,
  windowNames,
  windowStarts,
} from '../../../lambdas/shared/windows.ts';
import { withPace } from '../pace.ts';

type Counts = Record<WindowName, number>;

const hourMs = 3_600_000;
const endpoint = 'http://127.0.0.1/v1/store/orders';
const free = { minute: 60, day: 1_000 };
const agreed = { minute: 60, day: 5_000 };

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const now = () => Math.floor(Date.now() / 1_000);
const network = () => new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 100));

/** Counts as the service does, and answers after as long as the network would take. */
class Limiter {
  served = 0;
  refused = 0;
  readonly #limits: Counts;
  readonly #used: Counts;
  #starts = windowStarts(now());

  constructor(limits: Counts, usedToday: number) {
    this.#limits = limits;
    this.#used = { minute: 0, day: usedToday };
  }

  readonly fetch = async (): Promise<Response> => {
    await network();
    const starts = windowStarts(now());
    for (const name of windowNames) if (starts[name] !== this.#starts[name]) this.#used[name] = 0;
    this.#starts = starts;
    const isServed = windowNames.every((name) => this.#used[name] < this.#limits[name]);
    if (isServed) this.served++;
    else this.refused++;
    for (const name of windowNames) this.#used[name] += Number(isServed);
    const allowances = { minute: this.#allowance('minute'), day: this.#allowance('day') };
    const headers = { RateLimit: rateLimit(allowances, Date.now()) };
    await network();
    return new Response(null, { status: isServed ? 204 : 429, headers });
  };

  #allowance(name: WindowName) {
    const limit = this.#limits[name];
    const reset = this.#starts[name] + windowLengths[name];
    return { limit, remaining: limit - this.#used[name], reset };
  }
}

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
    const paced = withPace(new Limiter({ minute: 1, day: 10 }, 0).fetch);
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
