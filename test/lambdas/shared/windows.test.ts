import { describe, expect, it } from '@jest/globals';
import {
  clockToleranceSeconds,
  type WindowCounters,
  windowStarts,
  windowUses,
} from '../../../lambdas/shared/windows.ts';

const minute = Date.UTC(2026, 10, 20, 12, 34) / 1_000;
const day = Date.UTC(2026, 10, 20) / 1_000;
const now = minute + 20;

function counters(overrides: Partial<WindowCounters> = {}): WindowCounters {
  return {
    perMinute: 60,
    perDay: 1_000,
    minuteWindow: minute,
    minuteCount: 7,
    priorMinuteWindow: minute - 60,
    priorMinuteCount: 50,
    dayWindow: day,
    dayCount: 30,
    priorDayWindow: day - 86_400,
    priorDayCount: 900,
    ...overrides,
  };
}

describe('windowStarts', () => {
  it.each([
    ['within', now],
    ['at the first second', minute],
    ['at the last second', minute + 59],
  ])('gives the UTC minute and day of a moment %s', (_name, moment) => {
    expect(windowStarts(moment)).toEqual({ minute, day });
  });
});

describe('windowUses', () => {
  it('counts in the current windows', () => {
    expect(windowUses(counters(), now)).toEqual({
      minute: {
        limit: 60,
        used: 7,
        remaining: 53,
        start: minute,
        reset: minute + 60,
        step: 'count',
        stored: { window: minute, count: 7, priorWindow: minute - 60, priorCount: 50 },
      },
      day: {
        limit: 1_000,
        used: 30,
        remaining: 970,
        start: day,
        reset: day + 86_400,
        step: 'count',
        stored: { window: day, count: 30, priorWindow: day - 86_400, priorCount: 900 },
      },
    });
  });

  it('turns a window that is over', () => {
    const past = { minuteWindow: minute - 60, minuteCount: 60, dayWindow: day - 86_400 };

    const uses = windowUses(counters(past), now);

    expect(uses.minute).toMatchObject({ step: 'turn', used: 0, remaining: 60, start: minute });
    expect(uses.day).toMatchObject({ step: 'turn', used: 0, remaining: 1_000, start: day });
  });

  it('has nothing left, and not less, when a limit becomes smaller than what is used', () => {
    expect(windowUses(counters({ perMinute: 5 }), now).minute.remaining).toBe(0);
  });

  it.each([
    ['the next minute', minute + 60],
    ['the last that a clock within the tolerance can know', now + clockToleranceSeconds],
  ])('counts in a window ahead of its clock: %s', (_name, minuteWindow) => {
    const { minute } = windowUses(counters({ minuteWindow }), now);

    expect(minute).toMatchObject({ step: 'count', used: 7, start: minuteWindow });
    expect(minute.reset).toBe(minuteWindow + 60);
  });

  it('does not count what the window before one ahead of its clock has, though it is the current', () => {
    const ahead = { minuteWindow: minute + 60, priorMinuteWindow: minute };

    expect(windowUses(counters(ahead), now).minute).toMatchObject({ step: 'count', used: 7 });
  });

  describe('of a window that no right clock can have begun', () => {
    const minuteWindow = now + clockToleranceSeconds + 1;

    it('takes the current one with what was counted in it', () => {
      const { minute: use } = windowUses(counters({ minuteWindow }), now);

      expect(use).toMatchObject({ step: 'repair', used: 7, start: minute, reset: minute + 60 });
    });

    it('forgets nothing that the current one had counted before', () => {
      const { minute: use } = windowUses(
        counters({ minuteWindow, priorMinuteWindow: minute }),
        now,
      );

      expect(use).toMatchObject({ step: 'repair', used: 57, remaining: 3 });
    });

    it('does the same for the day, which lies ahead for five minutes before midnight alone', () => {
      const dayWindow = day + 86_400;
      const beforeMidnight = dayWindow - clockToleranceSeconds;

      expect(windowUses(counters({ dayWindow }), beforeMidnight).day.step).toBe('count');
      expect(windowUses(counters({ dayWindow }), beforeMidnight - 1).day).toMatchObject({
        step: 'repair',
        used: 30,
        start: day,
      });
    });
  });
});
