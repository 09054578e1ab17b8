import { describe, expect, it } from '@jest/globals';
import { type Event, eventsOf, stepOf } from '../../model/events.ts';
import { rules } from '../../model/rules.ts';
import { scenarios } from '../../model/scenarios.ts';
import type { Item, State } from '../../model/state.ts';
import { expectSame } from '../helpers/expect-same.ts';
import { LimiterUnderTest, withoutBanNames } from './limiter-under-test.ts';

const walks = 150;
const bounds = { requests: 6, losses: 2 };

/** Numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Adds missing keys, which are undefined in the model and absent in the stored item. */
function comparable(item: Item, keys: number): Item {
  const padded = Array.from({ length: keys }, (_, index) => item.keys[index]);
  return withoutBanNames({ ...item, keys: padded });
}

/** Applies random events to both the model and the limiter, and compares them after each. */
async function walkTogether(first: State, random: () => number): Promise<void> {
  const limiter = new LimiterUnderTest(first);
  let state = first;
  const trace: Event[] = [];
  for (let events = eventsOf(state); events.length > 0; events = eventsOf(state)) {
    const event = events[Math.floor(random() * events.length)]!;
    trace.push(event);
    const step = stepOf(state, event, rules);
    state = step.after;
    const decision = await limiter.apply(event);
    expectSame(
      { trace, decision, commands: limiter.commands(), item: limiter.item() },
      {
        trace,
        decision: step.decision,
        commands: state.environments.map(({ command }) => command?.kind),
        item: comparable(state.item, 2),
      },
    );
  }
  expect(trace).not.toEqual([]);
}

describe('the limiter that deploys does what its model does', () => {
  it.each(Object.entries(scenarios))('in every step of random walks: %s', async (name, begin) => {
    const random = randomNumbers(name.length);

    expect.assertions(walks);
    for (let walk = 0; walk < walks; walk++) await walkTogether(begin(bounds), random);
  });
});
