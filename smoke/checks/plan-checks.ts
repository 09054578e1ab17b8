import type { Stage } from '../stage/stage.ts';
import { checksOf } from './check.ts';

/** The limits that an owner is expected to have. */
export interface ExpectedLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Checks that the headers contain the owner's limits. */
export function planChecks({ perMinute, perDay }: ExpectedLimits) {
  return checksOf('Limits of the owner', {
    [`are ${perMinute} a minute and ${perDay} a day`]: async (stage: Stage) => {
      const answer = await stage.call('getPet');
      const expected = `"minute";q=${perMinute};w=60, "day";q=${perDay};w=86400`;
      const actual = answer.headers.get('ratelimit-policy')?.join() ?? 'absent';
      if (actual === expected) return [];
      stage.exchanges.markDifferent(answer);
      return [`ratelimit-policy is ${actual}, expected ${expected}`];
    },
  });
}
