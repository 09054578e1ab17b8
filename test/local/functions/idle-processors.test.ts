import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

let idleMs: number[];

jest.unstable_mockModule('node:os', () => ({
  cpus: () => idleMs.map((idle) => ({ times: { idle } })),
}));
const { watchIdleProcessors } = await import('../../../local/functions/idle-processors.ts');

beforeEach(() => {
  jest.useFakeTimers();
  idleMs = [50_000, 70_000];
});

afterEach(() => {
  jest.useRealTimers();
});

/** Lets time pass, during a share of which each processor is idle. */
function pass(ms: number, shares: [number, number]): void {
  jest.advanceTimersByTime(ms);
  idleMs = idleMs.map((each, index) => each + ms * shares[index]!);
}

describe('the idle processors', () => {
  it.each<[string, number, [number, number], number]>([
    ['a quarter of a second', 250, [1, 0.5], 1.5],
    ['a second', 1_000, [1, 1], 2],
    ['less, in which the system has hardly counted', 249, [1, 1], 0],
    ['more, which tells little of the present', 1_001, [1, 1], 0],
  ])('are the average of %s', (_, ms, shares, expected) => {
    const idle = watchIdleProcessors();

    pass(ms, shares);

    expect(idle()).toBe(expected);
  });

  it('are those of the last sample until there is a new one', () => {
    const idle = watchIdleProcessors();
    pass(250, [1, 1]);
    idle();

    pass(200, [0, 0]);
    const meanwhile = idle();
    pass(200, [0.5, 0]);

    expect(meanwhile).toBe(2);
    expect(idle()).toBe(0.25);
  });

  it('are known again soon after a pause', () => {
    const idle = watchIdleProcessors();
    pass(60_000, [1, 1]);
    idle();

    pass(250, [1, 0]);

    expect(idle()).toBe(1);
  });
});
