import { describe, expect, it } from '@jest/globals';
import { type BackOffSettings, withBackOff } from '../back-off.ts';
import { errorResponse, fakeFetch } from './fake-responses.ts';

const request = new Request('http://127.0.0.1/v1/store/orders');
const limited = (retryAfter?: string) => errorResponse(429, 'rate_limit_exceeded', retryAfter);

/** Runs with a clock that only notes how long was waited. */
async function run(responses: (Response | Error)[], settings: BackOffSettings = {}) {
  const waitedMs: number[] = [];
  const { fetch, asked } = fakeFetch(...responses);
  const sleep = async (ms: number) => void waitedMs.push(ms);
  const random = () => 1;
  const response = await withBackOff(fetch, { sleep, random, ...settings })(request).catch(
    (error: Error) => error,
  );
  return { response, waitedMs, attempts: asked.length };
}

describe('back-off', () => {
  it('R25: waits as long as Retry-After says', async () => {
    const { response, waitedMs } = await run([limited('27'), limited('3'), Response.json([])]);

    expect((response as Response).status).toBe(200);
    expect(waitedMs).toEqual([27_000, 3_000]);
  });

  it('R25: backs off exponentially where there is no Retry-After', async () => {
    const unavailable = () => errorResponse(500, 'internal_error');

    const { waitedMs } = await run([unavailable(), unavailable(), unavailable(), unavailable()], {
      maxAttempts: 4,
      firstPauseMs: 100,
    });

    expect(waitedMs).toEqual([100, 200, 400]);
  });

  it('spreads its pauses by chance, up to a maximum', async () => {
    const { waitedMs } = await run([limited(), limited(), Response.json([])], {
      firstPauseMs: 1_000,
      maxPauseMs: 1_500,
      random: () => 0.5,
    });

    expect(waitedMs).toEqual([500, 750]);
  });

  it('gives up after the last attempt, with the response', async () => {
    const { response, attempts } = await run([limited('1'), limited('1')], { maxAttempts: 2 });

    expect((response as Response).status).toBe(429);
    expect(attempts).toBe(2);
  });

  it.each([400, 401, 404, 409, 410])(
    'never repeats a request that was answered %i',
    async (status) => {
      const { response, attempts } = await run([errorResponse(status, 'code', '1')]);

      expect((response as Response).status).toBe(status);
      expect(attempts).toBe(1);
    },
  );

  it('leaves a wait of hours to the caller', async () => {
    const { response, waitedMs } = await run([errorResponse(429, 'quota_exceeded', '40000')]);

    expect((response as Response).status).toBe(429);
    expect(waitedMs).toEqual([]);
  });

  it('tries again where there was no answer', async () => {
    const { response, attempts } = await run([new TypeError('fetch failed'), Response.json([])]);

    expect((response as Response).status).toBe(200);
    expect(attempts).toBe(2);
  });

  it('throws what the last attempt threw', async () => {
    const failure = new TypeError('fetch failed');

    const { response } = await run([failure, failure], { maxAttempts: 2 });

    expect(response).toBe(failure);
  });

  it('does not try again once the caller has aborted', async () => {
    const abort = new AbortController();
    abort.abort();
    const { fetch, asked } = fakeFetch(new Error('aborted'));

    const call = withBackOff(fetch)(new Request(request, { signal: abort.signal }));

    await expect(call).rejects.toThrow('aborted');
    expect(asked).toHaveLength(1);
  });
});
