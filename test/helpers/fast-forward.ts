import { setTimeout as later } from 'node:timers';
import { jest } from '@jest/globals';

const stepMs = 50;
/** Longer than any function may take. */
const longestMs = 150_000;

/**
 * Runs a function with fake timers that advance about fifty times as fast as real time. After each step, the event
 * loop runs, so that servers in this process can respond even if the machine is busy.
 *
 * @returns the result, and the time in milliseconds by the fake timers
 * @throws Error when the function would never return
 */
export async function fastForward<Result>(
  run: () => Promise<Result>,
): Promise<{ result: Result; elapsedMs: number }> {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  let isOver = false;
  let elapsedMs = 0;
  try {
    const running = run().finally(() => {
      isOver = true;
    });
    // The promise is awaited below. Until then, a rejection must not count as unhandled.
    running.catch(() => {});
    while (!isOver) {
      if (elapsedMs > longestMs) throw new Error(`it was not over after ${longestMs / 1_000} s`);
      // In a real timer, as in production, `process.nextTick` callbacks run before promises.
      await new Promise<void>((resolve) => {
        later(() => resolve(void jest.advanceTimersByTime(stepMs)), 1);
      });
      elapsedMs += stepMs;
    }
    return { result: await running, elapsedMs };
  } finally {
    jest.useRealTimers();
  }
}
