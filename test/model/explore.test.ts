import { describe, expect, it } from '@jest/globals';
import { explore } from '../../model/explore.ts';
import { invariants } from '../../model/invariants.ts';
import { type Rules, rules } from '../../model/rules.ts';
import { quick, scenarios } from '../../model/scenarios.ts';
import { tolerated } from '../../model/state.ts';

const names = Object.keys(scenarios);

/** Explores a scenario with changed rules. Returns the invariant if it was found broken. */
function broken(scenario: string, changes: Partial<Rules>, invariant: string): string | undefined {
  const first = scenarios[scenario]!({ requests: 3, losses: 1 });
  return explore(first, { ...rules, ...changes }, [invariant]).violation?.invariant;
}

type Mistake = [mistake: string, changes: Partial<Rules>, scenario: string, invariant: string];

const mistakes: Mistake[] = [
  [
    'one request more than the limit is counted',
    { hasLeft: (count, limit) => count <= limit },
    'two keys in two environments whose clocks differ',
    'no more than the limit is admitted in any window',
  ],
  [
    'what the window counted before a void one is forgotten',
    { carriedOver: (window) => window.count },
    'windows that no right clock can have begun',
    'no more than the limit is admitted in any window',
  ],
  [
    'a void window is put right whatever became of it',
    { isSame: () => true },
    'windows that no right clock can have begun',
    'no more than the limit is admitted in any window',
  ],
  [
    'a window is turned whatever it is by now',
    { isOver: () => true },
    'clocks that are minutes apart',
    'no window moves back, unless no right clock can have begun it',
  ],
  [
    'a window ahead of the own clock counts as void',
    {
      isCurrent: (window, current) => window.start === current,
      isVoid: (window, at) => window.start > at,
    },
    'clocks that are minutes apart',
    'no window moves back, unless no right clock can have begun it',
  ],
  [
    'a full window is answered from the cache',
    { trustsCache: true },
    'an operator changes the plan',
    'nobody is refused for a window that has something left',
  ],
  [
    'a ban is answered from the cache',
    { trustsCache: true },
    'an operator replaces a key that is banned',
    'nobody is refused for a ban that does not run',
  ],
  [
    'a write does not ask whether the key may be used',
    { checksKey: false },
    'an operator withdraws keys',
    'a key that is revoked, expired or of a suspended owner admits nothing',
  ],
  [
    'a write does not ask for a ban',
    { isBanRunning: () => false },
    'an operator replaces a key that is banned',
    'a key that is banned admits nothing',
  ],
  [
    'a ban is begun whether or not one runs',
    { checksBan: false },
    'rejections and bans',
    'a ban begins only where none runs',
  ],
  [
    'a repeated request does not know its own ban',
    { recognisesOwnBan: false },
    'rejections and bans',
    'a ban is reported by the request that began it, and by no other',
  ],
  [
    'a ban follows the last rejection that is tolerated',
    { isBanDue: (rejections) => rejections >= tolerated },
    'rejections and bans',
    'a ban follows more rejections than are tolerated',
  ],
  [
    'a rejection that could not be counted is counted twice',
    { pendingWeight: 2 },
    'an operator changes the plan',
    'no rejection is counted that did not happen',
  ],
  [
    'no write finds a void window as it was seen',
    { isSame: () => false },
    'windows that no right clock can have begun',
    'every request gets an answer',
  ],
];

describe('the model of the limiter', () => {
  it.each(names)('keeps every invariant in every order of events: %s', (name) => {
    const { states, violation } = explore(scenarios[name]!(quick));

    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(1);
  });

  it.each(mistakes)('notices when %s', (_mistake, changes, scenario, invariant) => {
    expect(broken(scenario, changes, invariant)).toBe(invariant);
  });

  it('has no invariant that no mistake breaks', () => {
    const noticed = new Set(mistakes.map(([, , , invariant]) => invariant));

    expect(noticed).toEqual(new Set(Object.keys(invariants)));
  });
});
