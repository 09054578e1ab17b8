import type { Item } from '../../../lambdas/contract/item.ts';
import { banSeconds, keys, plans, tolerated } from './execution-environment.ts';

/* The meaning of an owner's item, in terms of the specification instead of the limiter. */

const minuteSeconds = 60;
export const toleranceSeconds = 300;

/** A number among attributes; 0 for none. */
export function numberOf(attributes: Item, name: string): number {
  return Number(attributes[name]?.N ?? 0);
}

const limitNames = { minute: 'perMinute', day: 'perDay' } as const;

/** The limit of a window: the plan's limit, or the item's own limit if it is smaller and the plan allows own limits. */
export function limitIn(item: Item, name: 'minute' | 'day'): number {
  const limit = limitNames[name];
  const known = Object.entries(plans).find(([plan]) => plan === item.plan?.S);
  const { [limit]: ofPlan, limitsPerOwner } = known?.[1] ?? plans.small;
  const own = limitsPerOwner && item[limit] ? numberOf(item, limit) : ofPlan;
  return Math.min(own, ofPlan);
}

/** The number of rejections that the item's plan tolerates. A plan that is not known tolerates any number. */
export function toleratedIn(item: Item): number {
  return Object.keys(plans).includes(item.plan!.S!) ? tolerated : Infinity;
}

/** A key's entry in the item. */
export const entryOf = (item: Item, key: number) => item.keys!.M![keys[key]!.tokenHash]?.M;

/** Whether the item has a full window at a time. */
export function isFullAt(item: Item, nowSeconds: number): boolean {
  return [
    { name: 'minute', start: nowSeconds - (nowSeconds % minuteSeconds) } as const,
    { name: 'day', start: nowSeconds - (nowSeconds % 86_400) } as const,
  ].some(({ name, start }) => {
    const window = numberOf(item, `${name}Window`);
    const isOpen = window >= start && window <= nowSeconds + toleranceSeconds;
    return isOpen && numberOf(item, `${name}Count`) >= limitIn(item, name);
  });
}

/** Whether a key has a ban that no wrong clock has made. */
export function isBannedAt(item: Item, key: number, nowSeconds: number): boolean {
  const until = numberOf(entryOf(item, key) ?? {}, 'bannedUntil');
  return until > nowSeconds && until <= nowSeconds + toleranceSeconds + banSeconds;
}

/** Whether a key exists, has not expired, and its owner is active. */
export function isUsableAt(item: Item, key: number, nowSeconds: number): boolean {
  const entry = entryOf(item, key);
  if (!entry || item.status?.S !== 'active') return false;
  return entry.expiresAt === undefined || numberOf(entry, 'expiresAt') > nowSeconds;
}
