import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { DocumentOfEntry } from '../owners/stored-owner.ts';
import { change, changeDetails } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, type StoredKey } from './find-key.ts';
import { removeDetails } from './grant-key.ts';
import { isBanned } from './key-description.ts';
import type { DraftKey } from './key-draft.ts';

/** A key that can be rotated, with the replacement of an interrupted rotation, if there was one. */
export interface RotatableKey {
  readonly key: StoredKey;
  readonly entry: KeyEntry;
  readonly abandoned: string | undefined;
}

// The write is repeated only if the old key was banned or unbanned since it was read.
const maxAttempts = 10;

/**
 * Writes the replacement's details and records it with the old key. Of concurrent rotations, only one
 * can do this.
 *
 * @throws WrongStateError when another rotation was first
 */
export async function saveReplacement(
  { key: { keyId }, abandoned }: RotatableKey,
  { issued, details }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const noted = await change(
    {
      table: store.ownersTable,
      key: { ownerId: issued.ownerId },
      update: 'SET #keys.#new = :details, #keys.#old.replacedBy = :new',
      condition:
        'attribute_exists(#keys.#old) AND attribute_not_exists(#keys.#old.revokedAt) AND ' +
        `(${abandoned ? '' : 'attribute_not_exists(#keys.#old.replacedBy) OR '}` +
        '#keys.#old.replacedBy IN (:abandoned, :new))',
      names: { '#keys': 'keys', '#new': issued.keyId, '#old': keyId },
      values: {
        ':details': details,
        ':new': issued.keyId,
        ':abandoned': abandoned ?? issued.keyId,
      },
    },
    store,
  );
  if (!noted) throw changedMeanwhile(keyId);
}

/**
 * Adds the replacement's entry and sets the old key's expiry in one write. The write is repeated when
 * the old key's ban has changed.
 *
 * @param end the old key's expiry in Unix seconds
 * @throws WrongStateError when the old key was revoked or rotated meanwhile
 */
export async function addReplacementEntry(
  previous: RotatableKey,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<void> {
  let { key, entry } = previous;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (await tryToAdd(key, entry, draft, end, store)) return;
    key = await findKey(key.keyId, store);
    // The write may have succeeded while its response was lost; the SDK then repeats it in vain.
    if (key.owner.item?.keys.has(draft.tokenHash)) return;
    if (!key.entry || key.entry.expiresAt !== entry.expiresAt) break;
    entry = key.entry;
  }
  throw changedMeanwhile(key.keyId);
}

/** Returns whether the write succeeded, that is, whether the old key's ban and expiry are unchanged. */
async function tryToAdd(
  { tokenHash, owner }: StoredKey,
  old: KeyEntry,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<boolean> {
  const entry: DocumentOfEntry = { ...draft.entry, ...banAndRejections(old, store.now()) };
  const unchanged = [same('bannedUntil', old.bannedUntil || undefined)];
  unchanged.push(same('expiresAt', old.expiresAt));
  const entered = await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update: 'SET #keys.#new = :entry, #keys.#old.expiresAt = :end',
      condition: `attribute_exists(#keys.#old) AND ${unchanged.map(({ condition }) => condition).join(' AND ')}`,
      names: { '#keys': 'keys', '#new': draft.tokenHash, '#old': tokenHash },
      values: Object.assign(
        { ':entry': entry, ':end': end },
        ...unchanged.map(({ values }) => values),
      ),
    },
    store,
  );
  return entered !== undefined;
}

/** The ban and the counted rejections of a key, which its replacement inherits. */
function banAndRejections(old: KeyEntry, nowMs: number): Partial<DocumentOfEntry> {
  const { bannedUntil, rejectionWindow, rejectionCount } = old;
  return {
    ...(isBanned(old, nowMs) && { bannedUntil }),
    ...(rejectionWindow > 0 && { rejectionWindow, rejectionCount }),
  };
}

/** The condition that an attribute of the old key's entry is unchanged. */
function same(attribute: 'bannedUntil' | 'expiresAt', value: number | undefined) {
  const path = `#keys.#old.${attribute}`;
  if (value === undefined) return { condition: `attribute_not_exists(${path})`, values: {} };
  return { condition: `${path} = :${attribute}`, values: { [`:${attribute}`]: value } };
}

/** Records the replacement with the old key, in place of any other. */
export function recordReplacement(
  keyId: string,
  { issued }: DraftKey,
  store: KeyStore,
): Promise<void> {
  return changeDetails(
    issued.ownerId,
    {
      update: 'SET #keys.#old.replacedBy = :new',
      names: { '#keys': 'keys', '#old': keyId },
      values: { ':new': issued.keyId },
    },
    store,
  );
}

/** Undoes `saveReplacement`, unless another rotation has replaced it meanwhile. */
export async function removeReplacement(
  { key: { keyId }, abandoned }: RotatableKey,
  { issued }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const replacedBy = '#keys.#old.replacedBy';
  const forgotten = await change(
    {
      table: store.ownersTable,
      key: { ownerId: issued.ownerId },
      update: abandoned
        ? `REMOVE #keys.#new SET ${replacedBy} = :abandoned`
        : `REMOVE #keys.#new, ${replacedBy}`,
      condition: `${replacedBy} = :new`,
      names: { '#keys': 'keys', '#new': issued.keyId, '#old': keyId },
      values: { ':new': issued.keyId, ...(abandoned && { ':abandoned': abandoned }) },
    },
    store,
  );
  if (!forgotten) await removeDetails(issued.ownerId, issued.keyId, store);
}

/** The error of a rotation during which the key was changed. */
export function changedMeanwhile(keyId: string): WrongStateError {
  return new WrongStateError(
    `${keyId} was changed by somebody else meanwhile, and was not rotated here`,
    { remedy: 'run the command again' },
  );
}
