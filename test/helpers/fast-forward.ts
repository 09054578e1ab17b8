import { setTimeout as sleep } from 'node:timers/promises';
import { jest } from '@jest/globals';

const stepMs = 10;

/**
 * Runs something whose waits are timers, and lets its time pass about ten times as fast. Answers of
 * servers in this process come meanwhile, however busy the machine is: each step lets them through.
 *
 * @returns how long it would have taken, in milliseconds
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
    // It is awaited below; until then, its failure is not one that nobody handles.
    running.catch(() => {});
    while (!isOver) {
      await sleep(1);
      jest.advanceTimersByTime(stepMs);
      elapsedMs += stepMs;
    }
    return { result: await running, elapsedMs };
  } finally {
    jest.useRealTimers();
  }
}
