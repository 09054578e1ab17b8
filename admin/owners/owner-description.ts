import { type WindowUse, windowUses } from '../../lambdas/shared/windows.ts';
import type { OwnerItem, StoredOwner } from './stored-owner.ts';

/** What an operator is told of an owner in a list. */
export interface OwnerSummary {
  ownerId: string;
  name: string;
  /** Null, as are the limits, for an owner that was created in part only. */
  plan: string | null;
  status: 'active' | 'suspended' | 'incomplete';
  perMinute: number | null;
  perDay: number | null;
  /** Keys that are not revoked. */
  keys: number;
  createdAt: string;
}

/** Use of one window, at a moment. */
export interface UsageNow {
  limit: number;
  used: number;
  remaining: number;
  resetsAt: string;
}

/** Use of both windows: of an owner, and so of each of its keys. */
export interface Usage {
  minute: UsageNow;
  day: UsageNow;
}

/** All that an operator is told of one owner. */
export interface OwnerDescription extends OwnerSummary {
  usage: Usage | null;
}

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

/** An owner as it stands at a moment: its counters may be those of a window that is over. */
export function describeOwner(owner: StoredOwner, nowMs: number): OwnerDescription {
  return { ...summarizeOwner(owner), usage: owner.item ? usageOf(owner.item, nowMs) : null };
}

/** What an owner's keys have used together. */
export function usageOf(item: OwnerItem, nowMs: number): Usage {
  const { minute, day } = windowUses(item, Math.floor(nowMs / 1_000));
  return { minute: usageNow(minute), day: usageNow(day) };
}

/** Unix seconds as ISO 8601, without a fraction. */
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
