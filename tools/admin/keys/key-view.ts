import { recordText } from '../console/view.ts';
import { banReason, countingLimits, limitsText } from '../owners/owner-view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { isoTime } from '../store/history.ts';
import { saveKeys } from '../store/key-change.ts';
import { isBanned, replacementOf, type StoredKey, statusOf } from '../store/keys.ts';
import type { StoredEntry } from '../store/stored-owner.ts';

/** A key as the commands show it. */
export type KeyView = ReturnType<typeof keyView>;

/** Describes a key. Times are in ISO 8601, or null. */
export function keyView(key: StoredKey, stage: KeyStage) {
  const { keyId, owner, details, entry } = key;
  return {
    keyId,
    owner: owner.details.name,
    ownerId: owner.details.ownerId,
    label: details.label ?? null,
    lastFour: details.lastFour,
    plan: owner.item.plan,
    status: statusOf(key, stage),
    isReadOnly: entry ? entry.isReadOnly === true : null,
    ...countingLimits(owner.item, stage),
    createdAt: details.createdAt,
    /** Null if the key is revoked or never expires. */
    expiresAt: timeOf(entry ? entry.expiresAt : details.expiresAt),
    revokedAt: details.revokedAt ?? null,
    /** The minute of the last admitted request of the key. */
    lastUsedAt: timeOf(entry ? entry.usedAt : details.usedAt),
    bannedUntil: entry && isBanned(entry, stage) ? timeOf(entry.bannedUntil) : null,
    replaces: details.replaces ?? null,
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
  const changed = { ...key, entry: { ...key.entry!, ...values } };
  await saveKeys(command, [changed], stage);
  return keyView(changed, stage);
}

/** Formats a key. The API key itself is given only when it has just been issued. */
export function keyText(view: KeyView & { readonly apiKey?: string }): string {
  const { isReadOnly, lastFour, bannedUntil } = view;
  const access = isReadOnly ? 'read-only' : 'full';
  return recordText({
    'key id': view.keyId,
    label: view.label,
    owner: view.owner,
    'owner id': view.ownerId,
    plan: view.plan,
    limits: `${limitsText(view)}, shared by all keys of the owner`,
    status: statusText(view),
    access: isReadOnly === null ? null : access,
    created: view.createdAt,
    expires: view.expiresAt ?? (view.status === 'revoked' ? null : 'never'),
    revoked: view.revokedAt,
    ban: bannedUntil && `until ${bannedUntil}, ${banReason}`,
    'last used': view.lastUsedAt ?? 'never',
    replaces: view.replaces,
    'replaced by': view.replacedBy,
    'api key': view.apiKey ?? `…${lastFour}`,
  });
}

function statusText({ status, ownerId }: KeyView): string {
  const resume = `"./admin owners resume ${ownerId}"`;
  return status === 'suspended' ? `suspended; works after ${resume}` : status;
}

/** Formats Unix seconds. 0 means that there is no time. */
function timeOf(unixSeconds: number | undefined): string | null {
  return unixSeconds ? isoTime(unixSeconds) : null;
}
