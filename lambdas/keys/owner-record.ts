import type { Item } from '../contract/item.ts';
import type { Limits } from './plan.ts';
import type { WindowCounters } from './windows.ts';

/** An owner's item without its keys: its plan, its own limits if it has any, and its usage. */
export interface OwnerRecord extends WindowCounters, Partial<Limits> {
  ownerId: string;
  plan: string;
  /** False for a suspended owner, all of whose keys are refused. */
  isActive: boolean;
}

/** One key's entry in its owner's item. Times are Unix seconds. */
export interface KeyEntry {
  keyId: string;
  /** Whether the key may list orders and not cancel them. */
  isReadOnly: boolean;
  /** Absent for a key that never expires. */
  expiresAt: number | undefined;
  /** The end of the last ban, which may be over; 0 for none. */
  bannedUntil: number;
  /** The start of the UTC minute that `rejectionCount` counts; 0 before the first rejection. */
  rejectionWindow: number;
  rejectionCount: number;
  /** The start of the UTC minute in which the key was last admitted; 0 for never. */
  usedAt: number;
}

/** The counters of an owner's item before the first request. */
export const noUsage: WindowCounters = {
  minuteWindow: 0,
  minuteCount: 0,
  dayWindow: 0,
  dayCount: 0,
};

/** Reads an owner's item. Its numbers are far below 2^53, so JavaScript numbers are exact. */
export function readOwnerRecord(item: Item): OwnerRecord {
  return {
    ownerId: item.ownerId?.S ?? '',
    plan: item.plan?.S ?? '',
    isActive: item.status?.S === 'active',
    ...(item.perMinute?.N && { perMinute: Number(item.perMinute.N) }),
    ...(item.perDay?.N && { perDay: Number(item.perDay.N) }),
    minuteWindow: numberOf(item, 'minuteWindow'),
    minuteCount: numberOf(item, 'minuteCount'),
    dayWindow: numberOf(item, 'dayWindow'),
    dayCount: numberOf(item, 'dayCount'),
  };
}

/**
 * Reads a key's entry in its owner's item; undefined if the item has no such entry, for example because the key was
 * revoked.
 */
export function readKeyEntry(item: Item, tokenHash: string): KeyEntry | undefined {
  const entry = item.keys?.M?.[tokenHash]?.M;
  if (!entry) return undefined;
  return {
    keyId: keyIdOf(item.ownerId?.S ?? '', entry.id?.S ?? ''),
    isReadOnly: entry.isReadOnly?.BOOL === true,
    expiresAt: entry.expiresAt?.N === undefined ? undefined : Number(entry.expiresAt.N),
    bannedUntil: numberOf(entry, 'bannedUntil'),
    rejectionWindow: numberOf(entry, 'rejectionWindow'),
    rejectionCount: numberOf(entry, 'rejectionCount'),
    usedAt: numberOf(entry, 'usedAt'),
  };
}

/**
 * A key's public id: `key_`, the characters of its owner's id, and the id of its entry. No part of the id is in the
 * token.
 */
export function keyIdOf(ownerId: string, entryId: string): string {
  return `key_${ownerId.slice('own_'.length)}${entryId}`;
}

/**
 * The value of the API Gateway key with which an owner's requests on a plan are metered. An owner has such a key for
 * each plan that it has ever had. API Gateway accepts 20 to 128 characters.
 */
export function gatewayKeyValue(ownerId: string, plan: string): string {
  return `${ownerId}_${plan}`;
}

function numberOf(item: Item, name: string): number {
  return Number(item[name]?.N ?? 0);
}
