import type { Item } from '../../../lambdas/contract/item.ts';
import { banSeconds, keys, plans, tolerated } from './execution-environment.ts';

/* The meaning of an owner's item, in terms of the specification instead of the limiter. Times are Unix seconds. */

export const toleranceSeconds = 300;
const limitNames = { minute: 'perMinute', day: 'perDay' } as const;
const windowSeconds = { minute: 60, day: 86_400 } as const;

type WindowName = keyof typeof windowSeconds;
export const windowNames: readonly WindowName[] = ['minute', 'day'];

interface StoredWindow {
  start: number;
  count: number;
  /** The plan's limit, or the item's own limit if it is smaller and the plan allows own limits. */
  limit: number;
}

interface StoredKey {
  expiresAt: number;
  bannedUntil: number;
  rejectionWindow: number;
  rejectionCount: number;
}

export interface StoredState extends Record<WindowName, StoredWindow> {
  isActive: boolean;
  /** The number of rejections that the owner's plan tolerates. */
  tolerated: number;
  /** The keys that requests use, each undefined if the item lacks it. */
  keys: (StoredKey | undefined)[];
}

export function storedState(item: Item): StoredState {
  const [, plan] = Object.entries(plans).find(([name]) => name === item.plan?.S) ?? [];
  const windowOf = (name: WindowName): StoredWindow => {
    const { [limitNames[name]]: ofPlan, limitsPerOwner } = plan ?? plans.small;
    const own = limitsPerOwner ? numberOf(item, limitNames[name], ofPlan) : ofPlan;
    return {
      start: numberOf(item, `${name}Window`),
      count: numberOf(item, `${name}Count`),
      limit: Math.min(own, ofPlan),
    };
  };
  return {
    isActive: item.status?.S === 'active',
    // A plan that is not known tolerates any number.
    tolerated: plan ? tolerated : Infinity,
    minute: windowOf('minute'),
    day: windowOf('day'),
    keys: keys.map(({ tokenHash }) => {
      const entry = item.keys!.M![tokenHash]?.M;
      return (
        entry && {
          expiresAt: numberOf(entry, 'expiresAt', Infinity),
          bannedUntil: numberOf(entry, 'bannedUntil'),
          rejectionWindow: numberOf(entry, 'rejectionWindow'),
          rejectionCount: numberOf(entry, 'rejectionCount'),
        }
      );
    }),
  };
}

function numberOf(attributes: Item, name: string, otherwise = 0): number {
  return Number(attributes[name]?.N ?? otherwise);
}

/** Whether a window is full at a time. */
export function isFullAt(state: StoredState, nowSeconds: number): boolean {
  return windowNames.some((name) => {
    const { start, count, limit } = state[name];
    const current = nowSeconds - (nowSeconds % windowSeconds[name]);
    return start >= current && start <= nowSeconds + toleranceSeconds && count >= limit;
  });
}

/** Whether a key has a ban that no wrong clock has made. */
export function isBannedAt({ keys }: StoredState, key: number, nowSeconds: number): boolean {
  const { bannedUntil = 0 } = keys[key] ?? {};
  return bannedUntil > nowSeconds && bannedUntil <= nowSeconds + toleranceSeconds + banSeconds;
}

/** Whether a key exists, has not expired, and its owner is active. */
export function isUsableAt({ isActive, keys }: StoredState, key: number, nowSeconds: number) {
  const { expiresAt = 0 } = keys[key] ?? {};
  return isActive && expiresAt > nowSeconds;
}
