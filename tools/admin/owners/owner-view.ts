import { type WindowUse, windowUses } from '../../../lambdas/shared/windows.ts';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { type Field, grouped, isoTime } from '../console/view.ts';
import type { OwnerItem, StoredOwner } from './stored-owner.ts';

/** The usage of both windows by all keys of an owner together. */
type Usage = ReturnType<typeof usageOf>;

/** An owner with everything that an operator can know about it. */
export type OwnerView = ReturnType<typeof ownerView>;

/** Describes an owner at a time. Counters of a window that has ended count as 0. */
export function ownerView({ details, item }: StoredOwner, nowMs: number) {
  const { ownerId, name, createdAt } = details;
  return {
    ownerId,
    name,
    /** Null, like the limits, when the creation of the owner was interrupted. */
    plan: item?.plan ?? null,
    status: statusOf(item),
    perMinute: item?.perMinute ?? null,
    perDay: item?.perDay ?? null,
    /** The number of keys that are not revoked. */
    keys: item?.keys.size ?? 0,
    createdAt,
    usage: item ? usageOf(item, nowMs) : null,
  };
}

export const ownerFields: readonly Field<OwnerView>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name },
  { name: 'plan', of: ({ plan }) => plan, only: 'table' },
  { name: 'plan', of: planText, only: 'record' },
  { name: 'status', of: ({ status }) => status },
  { name: 'limits', of: limitsText },
  { name: 'created', of: ({ createdAt }) => createdAt },
  { name: 'keys', of: ({ keys }) => grouped(keys) },
  ...usageFields<OwnerView>(),
];

/** The fields of the usage of the minute and of the day. */
export function usageFields<View extends { usage: Usage | null }>(): Field<View>[] {
  return [
    { name: 'this minute', of: ({ usage }) => usageText(usage?.minute), only: 'record' },
    { name: 'today', of: ({ usage }) => usageText(usage?.day), only: 'record' },
  ];
}

/** Formats limits in one line. */
export function limitsText(limits: {
  perMinute: number | null;
  perDay: number | null;
}): string | null {
  const { perMinute, perDay } = limits;
  if (perMinute === null || perDay === null) return null;
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

/** The usage of an owner's windows at a time. */
export function usageOf(item: OwnerItem, nowMs: number) {
  const { minute, day } = windowUses(item, Math.floor(nowMs / 1_000));
  const usage = ({ limit, used, remaining, reset }: WindowUse) => {
    return { limit, used, remaining, resetsAt: isoTime(reset) };
  };
  return { minute: usage(minute), day: usage(day) };
}

function usageText(usage: Usage['minute'] | undefined): string | null {
  if (!usage) return null;
  const { limit, used, resetsAt } = usage;
  return `${grouped(used)} of ${grouped(limit)} used, starts anew at ${resetsAt}`;
}

function statusOf(item: OwnerItem | undefined): 'active' | 'suspended' | 'incomplete' {
  if (!item) return 'incomplete';
  return item.isActive ? 'active' : 'suspended';
}

function planText({ plan }: OwnerView): string {
  if (plan === null) return 'none yet: "owners create" with this name and a plan completes it';
  if (isPlanName(plan)) return plan;
  return `${plan}, which is no plan any more: "owners set-plan" moves the owner to another`;
}
