import { type WindowUse, windowUses } from '../../lambdas/shared/windows.ts';
import type { OwnerItem, StoredOwner } from './stored-owner.ts';

/** An owner in a list of owners. */
export interface OwnerSummary {
  ownerId: string;
  name: string;
  /** The plan is null, like the limits, when the creation of the owner was interrupted. */
  plan: string | null;
  status: 'active' | 'suspended' | 'incomplete';
  perMinute: number | null;
  perDay: number | null;
  /** The number of keys that are not revoked. */
  keys: number;
  createdAt: string;
}

/** The usage of one window at a time. */
export interface UsageNow {
  limit: number;
  used: number;
  remaining: number;
  resetsAt: string;
}

/** The usage of both windows by all keys of an owner together. */
export interface Usage {
  minute: UsageNow;
  day: UsageNow;
}

/** An owner with everything that an operator can know about it. */
export interface OwnerDescription extends OwnerSummary {
  usage: Usage | null;
}

/** Describes an owner for a list of owners. */
export function summarizeOwner({ details, item }: StoredOwner): OwnerSummary {
  const { ownerId, name, createdAt } = details;
  return {
    ownerId,
    name,
    plan: item?.plan ?? null,
    status: statusOf(item),
    perMinute: item?.perMinute ?? null,
    perDay: item?.perDay ?? null,
    keys: item?.keys.size ?? 0,
    createdAt,
  };
}

/** Describes an owner at a time. Counters of a window that has ended count as 0. */
export function describeOwner(owner: StoredOwner, nowMs: number): OwnerDescription {
  return { ...summarizeOwner(owner), usage: owner.item ? usageOf(owner.item, nowMs) : null };
}

/** The usage of an owner's windows at a time. */
export function usageOf(item: OwnerItem, nowMs: number): Usage {
  const { minute, day } = windowUses(item, Math.floor(nowMs / 1_000));
  return { minute: usageNow(minute), day: usageNow(day) };
}

/** Formats Unix seconds in ISO 8601, without a fraction. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}

function statusOf(item: OwnerItem | undefined): OwnerSummary['status'] {
  if (!item) return 'incomplete';
  return item.isActive ? 'active' : 'suspended';
}

function usageNow({ limit, used, remaining, reset }: WindowUse): UsageNow {
  return { limit, used, remaining, resetsAt: isoTime(reset) };
}
