import { describe, expect, it } from '@jest/globals';
import { type BackOffSettings, withBackOff } from '../back-off.ts';
import { errorResponse, fakeFetch } from './fake-responses.ts';

/** The title, what is answered, the outcome's status or message, and the milliseconds waited. */
type Case = [string, (Response | Error)[], BackOffSettings, number | string, number[]];

const request = new Request('http://127.0.0.1/v1/store/orders');
const ok = () => Response.json([]);
const limited = (retryAfter?: string) => errorResponse(429, 'rate_limit_exceeded', retryAfter);
const failed = () => errorResponse(500, 'internal_error');
const unreachable = () => new TypeError('fetch failed');
const final = (status: number): Case => [
  `takes ${status} for final`,
  [errorResponse(status, 'code', '1')],
  {},
  status,
  [],
];

describe('back-off', () => {
  it.each<Case>([
    [
      'R25: waits as long as Retry-After says',
      [limited('27'), limited('120'), ok()],
      {},
      200,
      [27_000, 120_000],
    ],
    ['leaves a longer wait to the caller', [limited('121')], {}, 429, []],
    [
      'R25: backs off exponentially where there is no Retry-After, up to 20 s',
      Array.from({ length: 9 }, failed),
      { maxAttempts: 9 },
      500,
      [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 20_000],
    ],
    ['spreads its pauses by chance', [limited(), ok()], { random: () => 0.5 }, 200, [125]],
    [
      'gives up after the fifth attempt, with the response',
      Array.from({ length: 5 }, () => limited('1')),
      {},
      429,
      [1_000, 1_000, 1_000, 1_000],
    ],
    ['tries again where there was no answer', [unreachable(), ok()], {}, 200, [250]],
    [
      'throws what the last attempt threw',
      [unreachable(), unreachable()],
      { maxAttempts: 2 },
      'fetch failed',
      [250],
    ],
    ...[400, 401, 404, 409, 410].map(final),
  ])('%s', async (_, answers, settings, outcome, waits) => {
    const waitedMs: number[] = [];
    const sleep = async (ms: number) => void waitedMs.push(ms);
    const { fetch } = fakeFetch(...answers);

    const call = withBackOff(fetch, { sleep, random: () => 1, ...settings })(request);

    const result = await call.then(
      ({ status }) => status,
      ({ message }) => message,
    );
    expect([result, waitedMs]).toEqual([outcome, waits]);
  });

  it('does not try again once the caller has aborted', async () => {
    const { fetch, asked } = fakeFetch(new Error('aborted'));

    const call = withBackOff(fetch)(new Request(request, { signal: AbortSignal.abort() }));

    await expect(call).rejects.toThrow('aborted');
    expect(asked).toHaveLength(1);
  });
});
