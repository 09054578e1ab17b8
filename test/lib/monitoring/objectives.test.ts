import { describe, expect, it } from '@jest/globals';
import { alarmsThatGoOff } from './alarm-evaluation.ts';
import { type Answer, metricsOf } from './made-up-traffic.ts';

const list: Answer = { operation: 'listOrders', status: 200, latencyMs: 90 };
const failed: Answer = { ...list, status: 503 };
const cancel: Answer = { operation: 'cancelOrder', status: 204, latencyMs: 40 };
const slow: Answer = { ...cancel, latencyMs: 1_001 };

/** The requests of six hours and of the last of these hours, with the number of failed ones. */
interface Burn {
  readonly earlierHours: readonly [requests: number, bad: number];
  readonly lastHour: readonly [requests: number, bad: number];
}

describe('the budget of one 5xx in a thousand requests', () => {
  it.each<[string, Burn, string[]]>([
    ['14.5 times over an hour', { earlierHours: [9_000, 0], lastHour: [1_000, 15] }, ['Fast']],
    ['14 times over an hour', { earlierHours: [9_000, 0], lastHour: [1_000, 14] }, []],
    ['6.1 times over six hours', { earlierHours: [9_000, 55], lastHour: [1_000, 6] }, ['Slow']],
    ['5.9 times over six hours', { earlierHours: [9_000, 53], lastHour: [1_000, 6] }, []],
    ['once over six hours', { earlierHours: [9_000, 9], lastHour: [1_000, 1] }, []],
    ['20 times over both', { earlierHours: [9_000, 180], lastHour: [1_000, 20] }, ['Fast', 'Slow']],
    ['wholly, by too few requests', { earlierHours: [0, 0], lastHour: [999, 999] }, []],
  ])('is used up: %s', (_, burn, expected) => {
    const minutes = spread(burn, list, failed);

    const on = burning('Availability', minutes);

    expect(on).toEqual(expected);
  });
});

describe('the budget of one slow cancellation in a hundred', () => {
  it.each<[string, Burn, string[]]>([
    ['15 times over an hour', { earlierHours: [900, 0], lastHour: [100, 15] }, ['Fast']],
    ['14 times over an hour', { earlierHours: [900, 0], lastHour: [100, 14] }, []],
    ['6.1 times over six hours', { earlierHours: [900, 55], lastHour: [100, 6] }, ['Slow']],
    ['5.9 times over six hours', { earlierHours: [900, 53], lastHour: [100, 6] }, []],
    ['wholly, by too few requests', { earlierHours: [0, 0], lastHour: [99, 99] }, []],
  ])('is used up: %s', (_, burn, expected) => {
    const minutes = spread(burn, cancel, slow);

    const on = burning('CancelLatency', minutes);

    expect(on).toEqual(expected);
  });

  it('is not used up by answers that take a second and no more', () => {
    const onTime = { ...cancel, latencyMs: 1_000 };

    const on = burning(
      'CancelLatency',
      spread({ earlierHours: [900, 900], lastHour: [100, 100] }, cancel, onTime),
    );

    expect(on).toEqual([]);
  });
});

/** The burn rates of an objective that raise an alarm at the end of the six hours. */
function burning(objective: string, minutes: { answers: Answer[] }[]): string[] {
  const last = { from: minutes.length - 1, to: minutes.length };
  return alarmsThatGoOff('prod', metricsOf('prod', minutes), last)
    .filter((name) => name.startsWith(objective))
    .map((name) => name.slice(objective.length).replace('Burn', ''));
}

function spread({ earlierHours, lastHour }: Burn, good: Answer, bad: Answer) {
  return [...evenly(300, earlierHours, good, bad), ...evenly(60, lastHour, good, bad)];
}

/** Distributes requests over minutes, the failed ones first. */
function evenly(
  minutes: number,
  [requests, badRequests]: readonly [number, number],
  good: Answer,
  bad: Answer,
): { answers: Answer[] }[] {
  const answers = Array.from({ length: minutes }, (): Answer[] => []);
  for (let index = 0; index < requests; index++) {
    answers[index % minutes]!.push(index < badRequests ? bad : good);
  }
  return answers.map((ofMinute) => ({ answers: ofMinute }));
}
