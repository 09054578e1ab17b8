import { keyIdOf } from '../../../lambdas/domain/owner-record.ts';
import { type WindowUse, windowUses } from '../../../lambdas/domain/windows.ts';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { type Field, grouped, isoTime } from '../console/view.ts';
import { banReason, isBanned, isExpired } from '../stored/key-state.ts';
import type { OwnerItem, StoredOwner } from '../stored/stored-owner.ts';

type Usage = ReturnType<typeof usageOf>;
type Limits = Pick<OwnerView, 'perMinute' | 'perDay'>;

/** An owner as the commands show it. */
export type OwnerView = ReturnType<typeof ownerView>;

/** Describes an owner at a time. The counters of a window that has ended are 0. */
export function ownerView({ details, item }: StoredOwner, nowMs: number) {
  const { ownerId, name, createdAt } = details;
  return {
    ownerId,
    name,
    /** Null, like the limits, if the creation of the owner was interrupted. */
    plan: item?.plan ?? null,
    status: item?.status ?? 'incomplete',
    perMinute: item?.perMinute ?? null,
    perDay: item?.perDay ?? null,
    /** Those that are not revoked. */
    keys: Object.keys(item?.keys ?? {}).length,
    bans: item ? bansOf(item, nowMs) : [],
    createdAt,
    /** The minute of the last admitted request of any of its keys. */
    lastUsedAt: lastUse({ details, item }),
    usage: item ? usageOf(item, nowMs) : null,
  };
}

/** The fields of the usage of the minute and of the day. */
export const usageFields: readonly Field<{ usage: Usage | null }>[] = [
  { name: 'this minute', of: ({ usage }) => usageText(usage?.minute), only: 'record' },
  { name: 'today', of: ({ usage }) => usageText(usage?.day), only: 'record' },
];

export const ownerFields: readonly Field<OwnerView>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name },
  { name: 'plan', of: ({ plan }) => plan, only: 'table' },
  { name: 'plan', of: planText, only: 'record' },
  { name: 'status', of: ({ status }) => status },
  { name: 'limits', of: limitsText, only: 'record' },
  { name: 'created', of: ({ createdAt }) => createdAt },
  { name: 'keys', of: ({ keys }) => grouped(keys) },
  { name: 'bans', of: ({ bans }) => grouped(bans.length), only: 'table' },
  { name: 'ban', of: bansText, only: 'record' },
  ...usageFields,
  { name: 'this minute', of: ({ usage }) => usedText(usage?.minute), only: 'table' },
  { name: 'today', of: ({ usage }) => usedText(usage?.day), only: 'table' },
  { name: 'last used', of: ({ lastUsedAt }) => lastUsedText(lastUsedAt) },
];

/** Orders owners by their usage today. */
export function busiestFirst({ usage: one }: OwnerView, { usage: other }: OwnerView): number {
  return (other?.day.used ?? 0) - (one?.day.used ?? 0);
}

/** Formats limits in one line. */
export function limitsText({ perMinute, perDay }: Limits): string | null {
  if (perMinute === null || perDay === null) return null;
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

/** The usage of an owner's windows by all of its keys together, at a time. */
export function usageOf(item: OwnerItem, nowMs: number) {
  const { minute, day } = windowUses(item, item, Math.floor(nowMs / 1_000));
  const usage = ({ limit, used, remaining, reset }: WindowUse) => {
    return { limit, used, remaining, resetsAt: isoTime(reset) };
  };
  return { minute: usage(minute), day: usage(day) };
}

/** Formats the time of a last use, which is stored to the minute. */
export function lastUsedText(lastUsedAt: string | null): string {
  return lastUsedAt?.replace(/:00Z$/, 'Z') ?? 'never';
}

function bansOf({ ownerId, keys }: OwnerItem, nowMs: number) {
  return Object.values(keys)
    .filter((entry) => isBanned(entry, nowMs) && !isExpired(entry, nowMs))
    .map(({ id, bannedUntil }) => {
      return { keyId: keyIdOf(ownerId, id), bannedUntil: isoTime(bannedUntil!) };
    });
}

function bansText({ bans }: OwnerView): string | null {
  const each = bans.map(
    ({ keyId, bannedUntil }) =>
      `until ${bannedUntil}, ${banReason}: "./admin keys unban ${keyId}" lifts it`,
  );
  return each.join('; ') || null;
}

function lastUse({ details, item }: StoredOwner): string | null {
  const entries = [...Object.values(item?.keys ?? {}), ...Object.values(details.keys)];
  const last = Math.max(0, ...entries.map(({ usedAt = 0 }) => usedAt));
  return last > 0 ? isoTime(last) : null;
}

function usageText(usage: Usage['minute'] | undefined): string | null {
  return usage ? `${usedText(usage)} used, resets at ${usage.resetsAt}` : null;
}

function usedText(usage: Usage['minute'] | undefined): string | null {
  return usage ? `${grouped(usage.used)} of ${grouped(usage.limit)}` : null;
}

function planText({ plan }: OwnerView): string {
  if (plan === null)
    return 'none yet: "./admin owners create" with this name and a plan completes it';
  if (isPlanName(plan)) return plan;
  return `${plan}, which no longer exists: "./admin owners set-plan" moves the owner to another plan`;
}
