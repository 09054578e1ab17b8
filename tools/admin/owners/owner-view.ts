import { findPlan, type Limits, limitsOf, planNumbers } from '../../../lambdas/keys/plan.ts';
import { currentTimes, type WindowUse, windowUses } from '../../../lambdas/keys/windows.ts';
import type { Result } from '../console/command-io.ts';
import { grouped, recordText } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { isoTime } from '../store/history.ts';
import { keysOf, statusOf } from '../store/keys.ts';
import { saveOwner } from '../store/owner-change.ts';
import type { OwnerDetails, OwnerItem, StoredOwner } from '../store/stored-owner.ts';

/** An owner as the commands show it. */
export type OwnerView = ReturnType<typeof ownerView>;

/** Describes an owner. If a window has ended, its counters are 0. */
export function ownerView(owner: StoredOwner, stage: KeyStage) {
  const { ownerId, name, createdAt } = owner.details;
  const { item } = owner;
  const usage = usageOf(item, stage);
  const keys = keysOf(owner);
  const lastUse = Math.max(...keys.map(({ entry, details }) => (entry ?? details).usedAt ?? 0), 0);
  return {
    ownerId,
    name,
    plan: item.plan,
    /** False if the plan was removed. */
    isPlanKnown: findPlan(item.plan, stage.plans) !== undefined,
    status: item.status,
    ...countingLimits(item, stage),
    /** The number of keys that are not revoked. */
    keys: keys.filter(({ entry }) => entry).length,
    bans: keys
      .filter((key) => statusOf(key, stage) === 'banned')
      .map(({ keyId, entry }) => ({ keyId, bannedUntil: isoTime(entry!.bannedUntil!) })),
    createdAt,
    /** The minute of the last admitted request of any of its keys. */
    lastUsedAt: lastUse > 0 ? isoTime(lastUse) : null,
    usage,
  };
}

/** Changes an owner, and shows it. Undefined removes a value. */
export async function changedOwner(
  before: StoredOwner,
  values: { readonly details?: Partial<OwnerDetails>; readonly item?: Partial<OwnerItem> },
  command: string,
  stage: KeyStage,
): Promise<Result> {
  const after = {
    details: { ...before.details, ...values.details },
    item: { ...before.item, ...values.item },
  };
  await saveOwner(before, after, { command }, stage);
  return ownerResult(after, stage);
}

/** The result of a command that shows an owner. */
export function ownerResult(owner: StoredOwner, stage: KeyStage): Result {
  const view = ownerView(owner, stage);
  const { usage } = view;
  const text = recordText({
    'owner id': view.ownerId,
    name: view.name,
    plan: planText(view),
    status: view.status,
    limits: limitsText(view),
    keys: view.keys,
    ban: bansText(view),
    'this minute': usageText(usage.minute),
    today: usageText(usage.day),
    'last used': view.lastUsedAt ?? 'never',
    created: view.createdAt,
  });
  return { value: view, text };
}

/** Why a key is banned. */
export const banReason = 'because too many of its requests in a minute were above the limit';

/** The limits that apply to an owner. */
export function countingLimits(item: OwnerItem, { plans }: KeyStage): Limits {
  return limitsOf(item, planNumbers(item.plan, plans));
}

/** Formats limits in one line. */
export function limitsText({ perMinute, perDay }: Limits): string {
  return `${grouped(perMinute)} per minute, ${grouped(perDay)} per day`;
}

type Usage = ReturnType<typeof usageOf>;

/** How much of its limits an owner has used with all of its keys. */
function usageOf(item: OwnerItem, stage: KeyStage) {
  const times = currentTimes(Math.floor(stage.now() / 1_000), stage.plans);
  const { minute, day } = windowUses(item, countingLimits(item, stage), times);
  const usage = ({ limit, used, reset }: WindowUse) => ({ limit, used, resetsAt: isoTime(reset) });
  return { minute: usage(minute), day: usage(day) };
}

function bansText({ bans }: OwnerView): string | null {
  const each = bans.map(
    ({ keyId, bannedUntil }) =>
      `until ${bannedUntil}, ${banReason}: "./admin keys unban ${keyId}" lifts it`,
  );
  return each.join('; ') || null;
}

function usageText({ used, limit, resetsAt }: Usage['minute']): string {
  return `${grouped(used)} of ${grouped(limit)} used, resets at ${resetsAt}`;
}

function planText({ ownerId, plan, isPlanKnown }: OwnerView): string {
  if (isPlanKnown) return plan;
  return `${plan}, which was removed: "./admin owners set-plan ${ownerId} free" moves the owner, to this plan or another`;
}
