import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from '../../../lambdas/contract/item.ts';
import type { Limits } from '../../../lambdas/keys/plan.ts';
import { attributes } from '../../helpers/dynamodb/attribute-values.ts';
import { type Overrides, ownerItem } from '../../helpers/dynamodb/key-items.ts';
import { keys, tolerated } from './execution-environment.ts';
import { type Change, midnight, type Scenario } from './exploration.ts';

const minute = midnight - 60;
const today = midnight - 86_400;
/** A time that only a wrong clock can have written. */
const far = midnight + 3_600;

const used = { minuteWindow: minute, minuteCount: 1, dayWindow: today, dayCount: 2 };
const full = { ...used, minuteCount: 2 };
const noUse = {
  minuteWindow: minute - 600,
  minuteCount: 2,
  dayWindow: today - 86_400,
  dayCount: 4,
};

/** The owner's item with the first of two keys, or with both. */
function item(overrides: Overrides, keyCount = 1): Item {
  const entries = keys.slice(0, keyCount).map(({ tokenHash }) => [tokenHash, {}]);
  return ownerItem(overrides, Object.fromEntries(entries));
}

/** A move to a plan, which replaces the owner's own limits. */
function withPlan(plan: string, own: Partial<Limits> = {}): Change {
  return ({ perMinute: _perMinute, perDay: _perDay, ...before }) => {
    return { ...before, ...attributes({ plan, ...own }) };
  };
}

function withStatus(status: string): Change {
  return (before) => ({ ...before, status: { S: status } });
}

type Entries = Record<string, AttributeValue>;

function withEntries(change: (entries: Entries, nowSeconds: number) => Entries): Change {
  return (before, nowSeconds) => ({ ...before, keys: { M: change(before.keys!.M!, nowSeconds) } });
}

const [first, second] = [keys[0]!.tokenHash, keys[1]!.tokenHash];
const revoke = withEntries(({ [first]: _revoked, ...others }) => others);
const unban = withEntries(({ [first]: entry, ...others }) => {
  return entry ? { ...others, [first]: { M: { id: entry.M!.id! } } } : others;
});
/** A rotation. The new key inherits the ban of the old key, and the old key stays valid for a while. */
const rotate = withEntries((entries, nowSeconds) => {
  const { [first]: entry } = entries;
  if (!entry) return entries;
  const expiresAt = { N: String(nowSeconds + 30) };
  return { ...entries, [first]: { M: { ...entry.M, expiresAt } }, [second]: entry };
});

/** Environments with clocks that agree, each of which gets the given requests. */
function agreeing(...requests: number[][]): Scenario['environments'] {
  return requests.map((each) => ({ aheadSeconds: 0, requests: each }));
}

/** Environments with a request each, whose clocks differ. */
function ahead(...seconds: number[]): Scenario['environments'] {
  return seconds.map((aheadSeconds) => ({ aheadSeconds, requests: [0] }));
}

/** The scenarios, each of which is explored in every order of its steps, by name. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'the last requests of a minute, with two keys': {
    item: item(used, 2),
    environments: agreeing([0], [1], [0]),
  },
  'the first requests of a minute and a day': {
    item: item(noUse),
    environments: agreeing([0, 0], [0]),
    ticks: 2,
  },
  'clocks that are five minutes apart': {
    item: item(noUse),
    environments: ahead(-150, 0, 150),
  },
  'rejections and a ban': {
    item: item({ ...full, rejectionWindow: minute, rejectionCount: tolerated - 1 }),
    environments: agreeing([0, 0], [0]),
    changes: { unban },
  },
  'a ban that is due for three requests': {
    item: item({ ...full, rejectionWindow: minute, rejectionCount: tolerated }),
    environments: ahead(0, 30, -30),
    changes: { unban },
    ticks: 0,
  },
  'two changes of the plan': {
    item: item(full),
    environments: agreeing([0, 0], [0]),
    changes: { enlarge: withPlan('large'), shrink: withPlan('small') },
    losses: 0,
  },
  'two changes of the plan in the first minute of a day': {
    item: item(noUse),
    environments: agreeing([0, 0], [0]),
    changes: { enlarge: withPlan('large'), shrink: withPlan('small') },
    losses: 0,
  },
  "changes of an owner's own limits": {
    item: item({ ...used, plan: 'enterprise', perMinute: 2, perDay: 4 }),
    environments: agreeing([0, 0], [0]),
    changes: {
      lower: withPlan('enterprise', { perMinute: 1, perDay: 2 }),
      raise: withPlan('enterprise', { perMinute: 4, perDay: 4 }),
    },
    losses: 0,
  },
  'own limits that are removed, above the maximum, or of a former plan': {
    item: item({ ...used, plan: 'free', perMinute: 1, perDay: 1 }),
    environments: agreeing([0, 0], [0]),
    changes: {
      remove: withPlan('enterprise'),
      exceed: withPlan('enterprise', { perMinute: 9, perDay: 9 }),
    },
    losses: 0,
  },
  'a change of the plan, the limits and the status': {
    item: item(used),
    environments: agreeing([0, 0], [0]),
    changes: {
      limit: withPlan('enterprise', { perMinute: 1, perDay: 3 }),
      suspend: withStatus('suspended'),
      resume: withStatus('active'),
    },
    losses: 0,
    ticks: 0,
  },
  'a plan that the version does not know, and a move from it to a known one': {
    item: item({ ...full, plan: 'removed', rejectionWindow: minute, rejectionCount: tolerated }),
    environments: agreeing([0, 0], [0]),
    changes: { move: withPlan('large') },
    losses: 0,
  },
  'a move to a plan that the version does not know': {
    item: item({ ...used, rejectionWindow: minute, rejectionCount: tolerated }),
    environments: agreeing([0, 0], [0]),
    changes: { move: withPlan('newer') },
    losses: 0,
  },
  'a revocation and a suspension': {
    item: item(used),
    environments: agreeing([0, 0], [0]),
    changes: { revoke, suspend: withStatus('suspended'), resume: withStatus('active') },
    ticks: 0,
  },
  'a banned key that is replaced': {
    item: item({ ...used, bannedUntil: midnight }),
    environments: agreeing([0, 0], [1]),
    changes: { rotate, unban },
    losses: 0,
  },
  'windows and a ban that only a wrong clock can have started': {
    item: item({ ...full, minuteWindow: far, dayWindow: far, bannedUntil: far, dayCount: 4 }),
    environments: agreeing([0, 0], [0]),
  },
};
