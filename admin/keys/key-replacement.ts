import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { DocumentOfEntry } from '../owners/stored-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, type StoredKey } from './find-key.ts';
import { forgetDetails } from './grant-key.ts';
import { isBanned } from './key-description.ts';
import type { DraftKey } from './key-draft.ts';

/** A key that can be rotated: its entry, and the replacement that an interrupted rotation left. */
export interface Previous {
  readonly key: StoredKey;
  readonly entry: KeyEntry;
  readonly abandoned: string | undefined;
}

// Each attempt fails only where the old key's ban began, ended or was lifted since it was read.
const maxAttempts = 10;

/**
 * Writes down which key replaces the old one. Of two rotations at the same time only one can.
 *
 * @throws WrongStateError where the other one was quicker
 */
export async function noteReplacement(
  { key: { keyId }, abandoned }: Previous,
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
 * Enters the replacement and lets the old key expire, in one write, which is repeated where the old
 * key's ban has changed.
 *
 * @param end when the old key expires, in Unix seconds
 * @throws WrongStateError where the old key was revoked or rotated meanwhile
 */
export async function enterReplacement(
  previous: Previous,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<void> {
  let { key, entry } = previous;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (await tryToEnter(key, entry, draft, end, store)) return;
    key = await findKey(key.keyId, store);
    // The answer to a write that was carried out may have been lost, and the write repeated.
    if (key.owner.item?.keys.has(draft.tokenHash)) return;
    if (!key.entry || key.entry.expiresAt !== entry.expiresAt) break;
    entry = key.entry;
  }
  throw changedMeanwhile(key.keyId);
}

/** Returns whether the old key's ban and expiry were still as they were read. */
async function tryToEnter(
  { tokenHash, owner }: StoredKey,
  old: KeyEntry,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<boolean> {
  const entry: DocumentOfEntry = { ...draft.entry, ...punishments(old, store.now()) };
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

/** What a key has earned itself, and its replacement does not escape. */
function punishments(old: KeyEntry, nowMs: number): Partial<DocumentOfEntry> {
  const { bannedUntil, rejectionWindow, rejectionCount } = old;
  return {
    ...(isBanned(old, nowMs) && { bannedUntil }),
    ...(rejectionWindow > 0 && { rejectionWindow, rejectionCount }),
  };
}

/** The condition that an attribute of the old key's entry is as it was read. */
function same(attribute: 'bannedUntil' | 'expiresAt', value: number | undefined) {
  const path = `#keys.#old.${attribute}`;
  if (value === undefined) return { condition: `attribute_not_exists(${path})`, values: {} };
  return { condition: `${path} = :${attribute}`, values: { [`:${attribute}`]: value } };
}

/** Takes away what was noted, as far as it is still so. */
export async function forgetReplacement(
  { key: { keyId }, abandoned }: Previous,
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
  if (!forgotten) await forgetDetails(issued.ownerId, issued.keyId, store);
}

/** What to say where somebody else was quicker. */
export function changedMeanwhile(keyId: string): WrongStateError {
  return new WrongStateError(
    `${keyId} was changed by somebody else meanwhile, and was not rotated here`,
    { remedy: 'run the command again' },
  );
}
