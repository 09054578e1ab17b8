import { keyIdOf } from '../../../lambdas/keys/owner-record.ts';
import {
  findPlan,
  type Limits,
  limitsOf,
  type Plans,
  planNumbers,
} from '../../../lambdas/keys/plan.ts';
import { currentTimes, type WindowUse, windowUses } from '../../../lambdas/keys/windows.ts';
import { completionOf } from '../console/advice.ts';
import type { Result } from '../console/command-io.ts';
import { type Field, grouped, isoTime, recordText } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { isBanned, isExpired } from '../store/keys.ts';
import type { OwnerItem, StoredOwner } from '../store/stored-owner.ts';

type Usage = ReturnType<typeof usageOf>;
type ShownLimits = { readonly [Name in keyof Limits]: number | null };

/** An owner as the commands show it. */
export type OwnerView = ReturnType<typeof ownerView>;

/** Describes an owner at a point in time, by the deployed plans. The counters of a window that has ended are 0. */
export function ownerView({ details, item }: StoredOwner, nowMs: number, plans: Plans) {
  const { ownerId, name, createdAt } = details;
  return {
    ownerId,
    name,
    /** Null, like the limits, if the creation of the owner was interrupted. */
    plan: item?.plan ?? null,
    /** False if the plan was removed. */
    isPlanKnown: !item || findPlan(item.plan, plans) !== undefined,
    status: item?.status ?? 'incomplete',
    ...countingLimits(item, plans),
    /** The number of keys that are not revoked. */
    keys: Object.keys(item?.keys ?? {}).length,
    banRule: item ? banRuleOf(item, plans) : null,
    bans: item ? bansOf(item, nowMs, plans) : [],
    createdAt,
    /** The minute of the last admitted request of any of its keys. */
    lastUsedAt: lastUse({ details, item }),
    usage: item ? usageOf(item, nowMs, plans) : null,
  };
}

export const ownerFields: readonly Field<OwnerView>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name, only: 'record' },
  {
    name: 'plan',
    of: ({ plan, isPlanKnown }) => (isPlanKnown ? plan : `${plan} (removed)`),
    only: 'table',
  },
  { name: 'plan', of: planText, only: 'record' },
  { name: 'status', of: ({ status }) => status },
  { name: 'limits', of: limitsText, only: 'record' },
  { name: 'keys', of: ({ keys }) => grouped(keys), isNumber: true },
  { name: 'bans', of: ({ bans }) => grouped(bans.length), only: 'table', isNumber: true },
  { name: 'today', of: ({ usage }) => usedText(usage?.day), only: 'table', isNumber: true },
  { name: 'ban rule', of: banRuleText, only: 'record' },
  { name: 'ban', of: bansText, only: 'record' },
  { name: 'this minute', of: ({ usage }) => usageText(usage?.minute), only: 'record' },
  { name: 'today', of: ({ usage }) => usageText(usage?.day), only: 'record' },
  { name: 'last used', of: ({ lastUsedAt }) => lastUsedText(lastUsedAt), only: 'record' },
  { name: 'created', of: ({ createdAt }) => createdAt, only: 'record' },
  { name: 'name', of: ({ name }) => name, only: 'table' },
];

/** Makes a change, and shows the owner. The plans are read first, because after the change nothing must fail. */
export async function changedOwner(
  { now, plans }: KeyStage,
  change: () => Promise<StoredOwner>,
): Promise<Result> {
  const view = ownerView(await change(), now(), plans);
  return { value: view, text: recordText(ownerFields, view) };
}

/** Why a key is banned. */
export const banReason = 'because too many of its requests in a minute were above the limit';

/** The limits that count for an owner; null if its creation was interrupted. */
export function countingLimits(item: OwnerItem | undefined, plans: Plans): ShownLimits {
  return item ? limitsOf(item, planNumbers(item.plan, plans)) : { perMinute: null, perDay: null };
}

/** Formats limits in one line. */
export function limitsText({ perMinute, perDay }: ShownLimits): string | null {
  if (perMinute === null || perDay === null) return null;
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

/** The usage of an owner's windows by all of its keys together, at a point in time. */
function usageOf(item: OwnerItem, nowMs: number, plans: Plans) {
  const limits = limitsOf(item, planNumbers(item.plan, plans));
  const times = currentTimes(Math.floor(nowMs / 1_000), plans);
  const { minute, day } = windowUses(item, limits, times);
  const usage = ({ limit, used, remaining, reset }: WindowUse) => {
    return { limit, used, remaining, resetsAt: isoTime(reset) };
  };
  return { minute: usage(minute), day: usage(day) };
}

/** Formats the time of a last use, which is stored to the minute. */
export function lastUsedText(lastUsedAt: string | null): string {
  return lastUsedAt?.replace(/:00Z$/, 'Z') ?? 'never';
}

/** The rule by which the owner's keys are banned; null if its plan was removed, because then no key is banned. */
function banRuleOf({ plan }: OwnerItem, plans: Plans) {
  const known = findPlan(plan, plans);
  if (!known) return null;
  const { toleratedRejectionsPerMinute, banSeconds } = known;
  return { toleratedRejectionsPerMinute, banSeconds };
}

function banRuleText({ banRule }: OwnerView): string | null {
  if (!banRule) return null;
  const { toleratedRejectionsPerMinute, banSeconds } = banRule;
  const tolerated = grouped(toleratedRejectionsPerMinute);
  return `${grouped(banSeconds)} s after more than ${tolerated} rejected requests in a minute`;
}

function bansOf({ ownerId, keys }: OwnerItem, nowMs: number, plans: Plans) {
  return Object.values(keys)
    .filter((entry) => isBanned(entry, nowMs, plans) && !isExpired(entry, nowMs))
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

function planText({ ownerId, name, plan, isPlanKnown }: OwnerView): string {
  if (plan === null) return `none yet; ${completionOf(name)}`;
  if (isPlanKnown) return plan;
  return `${plan}, which was removed: "./admin owners set-plan ${ownerId} free" moves the owner, to this plan or another`;
}
