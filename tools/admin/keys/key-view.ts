import type { Plans } from '../../../lambdas/keys/plan.ts';
import type { Field } from '../console/view.ts';
import { banReason, countingLimits } from '../owners/owner-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { isoTime } from '../store/history.ts';
import { changeKeys } from '../store/key-change.ts';
import { isBanned, replacementOf, type StoredKey, statusOf } from '../store/keys.ts';
import type { StoredEntry } from '../store/stored-owner.ts';

/** A key as the commands show it. */
export type KeyView = ReturnType<typeof keyView>;

/**
 * Describes a key at a point in time, by the plans of the deployed version. Times are in ISO 8601, or null.
 */
export function keyView(key: StoredKey, nowMs: number, plans: Plans) {
  const { keyId, owner, details, entry } = key;
  return {
    keyId,
    owner: owner.details.name,
    ownerId: owner.details.ownerId,
    label: details?.label ?? null,
    lastFour: details?.lastFour ?? null,
    plan: owner.item.plan,
    status: statusOf(key, nowMs, plans),
    isReadOnly: entry ? entry.isReadOnly === true : null,
    ...countingLimits(owner.item, plans),
    createdAt: details?.createdAt ?? null,
    /** Null if the key is revoked or never expires. */
    expiresAt: timeOf(entry ? entry.expiresAt : details?.expiresAt),
    revokedAt: details?.revokedAt ?? null,
    /** The minute of the last admitted request of the key. */
    lastUsedAt: timeOf(entry ? entry.usedAt : details?.usedAt),
    bannedUntil: entry && isBanned(entry, nowMs, plans) ? timeOf(entry.bannedUntil) : null,
    replaces: details?.replaces ?? null,
    replacedBy: replacementOf(key)?.keyId ?? null,
  };
}

/** Changes values of a key's entry, and describes the key. */
export async function changedKey(
  key: StoredKey,
  command: string,
  values: Partial<StoredEntry>,
  stage: KeyStage,
): Promise<KeyView> {
  // The view is made before the change, because after the change nothing must fail.
  const view = keyView({ ...key, entry: { ...key.entry!, ...values } }, stage.now(), stage.plans);
  await changeKeys(key.owner, { command, old: key, values }, stage);
  return view;
}

export const keyFields: readonly Field<KeyView>[] = [
  { name: 'key id', of: ({ keyId }) => keyId },
  { name: 'owner', of: ({ owner }) => owner, only: 'record' },
  { name: 'owner id', of: ({ ownerId }) => ownerId, only: 'record' },
  { name: 'label', of: ({ label }) => label, only: 'record' },
  { name: 'status', of: ({ status }) => status },
  { name: 'last used', of: ({ lastUsedAt }) => lastUsedAt ?? 'never', only: 'record' },
  { name: 'last used', of: ({ lastUsedAt }) => lastUsedAt?.slice(0, 10) ?? 'never', only: 'table' },
  { name: 'expires', of: expiryText, only: 'record' },
  {
    name: 'api key',
    of: ({ lastFour }) => (lastFour === null ? 'unknown' : `…${lastFour}`),
    only: 'record',
  },
  { name: 'access', of: accessText, only: 'record' },
  { name: 'plan', of: ({ plan }) => plan, only: 'record' },
  { name: 'created', of: ({ createdAt }) => createdAt, only: 'record' },
  { name: 'revoked', of: ({ revokedAt }) => revokedAt, only: 'record' },
  {
    name: 'ban',
    of: ({ bannedUntil }) => (bannedUntil ? `until ${bannedUntil}, ${banReason}` : 'none'),
    only: 'record',
  },
  { name: 'replaces', of: ({ replaces }) => replaces, only: 'record' },
  { name: 'replaced by', of: ({ replacedBy }) => replacedBy, only: 'record' },
  { name: 'owner', of: ({ owner }) => owner, only: 'table' },
  { name: 'label', of: ({ label }) => label, only: 'table' },
];

function accessText({ isReadOnly }: KeyView): string | null {
  if (isReadOnly === null) return null;
  return isReadOnly ? 'read-only' : 'full';
}

function expiryText({ status, expiresAt }: KeyView): string | null {
  return expiresAt ?? (status === 'revoked' ? null : 'never');
}

/** Formats Unix seconds. 0 means that there is no time. */
function timeOf(unixSeconds: number | undefined): string | null {
  return unixSeconds ? isoTime(unixSeconds) : null;
}
