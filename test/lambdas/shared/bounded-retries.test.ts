import { describe, expect, it, jest } from '@jest/globals';
import {
  boundedRetries,
  type RetryErrorType,
  type RetryToken,
} from '../../../lambdas/shared/bounded-retries.ts';

const refresh = (token: RetryToken, errorType: RetryErrorType, maxAttempts = 3) =>
  boundedRetries(maxAttempts).refreshRetryTokenForRetry(token, { errorType });

describe('boundedRetries', () => {
  it.each<RetryErrorType>(['THROTTLING', 'TRANSIENT'])(
    'repeats a request until it has been sent as often as allowed: %s',
    async (errorType) => {
      const first = await boundedRetries(3).acquireInitialRetryToken('');

      const second = await refresh(first, errorType);
      const third = await refresh(second, errorType);

      expect([first, second, third].map((token) => token.getRetryCount())).toEqual([0, 1, 2]);
      await expect(refresh(third, errorType)).rejects.toThrow('not repeated');
    },
  );

  it.each<RetryErrorType>(['CLIENT_ERROR', 'SERVER_ERROR'])(
    'never repeats what failed for good: %s',
    async (errorType) => {
      const first = await boundedRetries(3).acquireInitialRetryToken('');

      await expect(refresh(first, errorType)).rejects.toThrow('not repeated');
    },
  );

  it('waits longer each time, and never longer than a second', async () => {
    let token = await boundedRetries(50).acquireInitialRetryToken('');
    for (let attempt = 1; attempt < 40; attempt++) {
      token = await refresh(token, 'THROTTLING', 50);

      expect(token.getRetryDelay()).toBeGreaterThanOrEqual(0);
      expect(token.getRetryDelay()).toBeLessThanOrEqual(Math.min(1_000, 200 * 2 ** (attempt - 1)));
    }
  });

  it.each<[RetryErrorType, number[]]>([
    ['THROTTLING', [0, 100, 200, 400, 500]],
    ['TRANSIENT', [0, 25, 50, 100, 200]],
  ])('doubles the longest wait each time, up to a second: %s', async (errorType, expected) => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.5);
    try {
      const waits: number[] = [];
      let token = await boundedRetries(10).acquireInitialRetryToken('');
      for (const _ of expected) {
        waits.push(token.getRetryDelay());
        token = await refresh(token, errorType, 10);
      }

      expect(waits).toEqual(expected);
    } finally {
      random.mockRestore();
    }
  });

  it('has no budget that failures use up', async () => {
    const strategy = boundedRetries(2);

    for (let request = 0; request < 1_000; request++) {
      const token = await strategy.acquireInitialRetryToken('');
      await strategy.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
    }

    const token = await strategy.acquireInitialRetryToken('');
    const next = await strategy.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
    expect(next.getRetryCount()).toBe(1);
  });
});
