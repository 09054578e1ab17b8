import { readKeyRecord } from '../../lambdas/shared/key-record.ts';
import { type WindowUse, windowStarts, windowUses } from '../../lambdas/shared/windows.ts';
import type { KeyItem } from './find-key.ts';

/** What an operator is told of a key in a list. Times are ISO 8601, or null where there is none. */
export interface KeySummary {
  keyId: string;
  owner: string;
  plan: string;
  status: 'active' | 'expired' | 'revoked';
  perMinute: number;
  perDay: number;
  createdAt: string;
  expiresAt: string | null;
  /** The end of the present ban. */
  bannedUntil: string | null;
}

export interface UsageNow {
  limit: number;
  used: number;
  remaining: number;
  resetsAt: string;
}

/** All that an operator is told of one key. */
export interface KeyDescription extends KeySummary {
  usage: { minute: UsageNow; day: UsageNow };
  /** Requests refused for a limit, in the present minute. */
  rejectionsThisMinute: number;
  /** The key ids before and after this one in a rotation. */
  replaces: string | null;
  replacedBy: string | null;
}

/** A key as it stands at a moment: its counters may be those of a window that is over. */
export function describeKey(item: KeyItem, nowMs: number): KeyDescription {
  const record = readKeyRecord(item);
  const nowSeconds = Math.floor(nowMs / 1_000);
  const { minute, day } = windowUses(record, nowSeconds);
  const isCounting = record.rejectionWindow >= windowStarts(nowSeconds).minute;
  return {
    ...summarizeKey(item, nowMs),
    usage: { minute: usageNow(minute), day: usageNow(day) },
    rejectionsThisMinute: isCounting ? record.rejectionCount : 0,
    replaces: item.replaces?.S ?? null,
    replacedBy: item.replacedBy?.S ?? null,
  };
}

export function summarizeKey(item: KeyItem, nowMs: number): KeySummary {
  const { keyId, plan, perMinute, perDay, ...record } = readKeyRecord(item);
  return {
    keyId,
    owner: item.owner?.S ?? '',
    plan,
    status: statusOf(record, nowMs),
    perMinute,
    perDay,
    createdAt: item.createdAt?.S ?? '',
    expiresAt: record.expiresAt === undefined ? null : isoTime(record.expiresAt),
    bannedUntil: record.bannedUntil * 1_000 > nowMs ? isoTime(record.bannedUntil) : null,
  };
}

/** Unix seconds as ISO 8601, without a fraction. */
export function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * 1_000).toISOString().replace('.000Z', 'Z');
}

function statusOf(
  { isActive, expiresAt }: { isActive: boolean; expiresAt: number | undefined },
  nowMs: number,
): KeySummary['status'] {
  if (!isActive) return 'revoked';
  // As the authorizer compares: in the second of the expiry, the key is refused.
  return expiresAt !== undefined && expiresAt <= Math.floor(nowMs / 1_000) ? 'expired' : 'active';
}

function usageNow({ limit, remaining, reset }: WindowUse): UsageNow {
  return { limit, used: limit - remaining, remaining, resetsAt: isoTime(reset) };
}
