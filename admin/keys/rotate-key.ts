import { NotFoundError, WrongStateError } from '../../shared/errors.ts';
import { complete, readOwner } from '../owners/find-owner.ts';
import type { CompleteOwner, DocumentOfEntry } from '../owners/stored-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, type StoredKey } from './find-key.ts';
import { grantKey } from './grant-key.ts';
import { summarizeKey } from './key-description.ts';
import { type DraftKey, draftKey, type IssuedKey } from './key-draft.ts';

export interface Rotation {
  /** How long the old token still works. */
  graceSeconds: number;
  /** The new key's expiry in Unix seconds. @default the old key's */
  expiresAt?: number;
}

export interface RotatedKey extends IssuedKey {
  previousKeyId: string;
  /** Unix seconds. */
  previousExpiresAt: number;
}

/** The ban of a key can begin or be lifted between a look at it and its rotation. */
const maxAttempts = 5;

/**
 * Replaces a key by a new one of the same owner. Both work during the grace period, and count in the
 * owner's limits as all of its keys do. A ban, and the rejections that lead to one, are handed on.
 *
 * The new key and the old one's expiry are one write: either the old key expires and there is a new
 * one, or nothing has changed.
 *
 * @throws OperatorError when the key is not usable, or was rotated before
 */
export async function rotateKey(
  keyId: string,
  { graceSeconds, expiresAt }: Rotation,
  store: KeyStore,
): Promise<RotatedKey> {
  const previous = await findKey(keyId, store);
  refuseUnlessRotatable(previous, store.now());
  const owner = complete(previous.owner);
  const end = graceEnd(previous, graceSeconds, store.now());
  const draft = draftReplacement(previous, owner, expiresAt, store);
  await grantKey(
    draft,
    {
      note: () => noteReplacement(previous, draft, store),
      enter: () => replace(previous, draft, end, store),
      forget: () => forgetReplacement(previous, draft, store),
      explain: (reason) =>
        `It is not known whether ${keyId} was rotated: ${reason}; when "keys show ${keyId}" names a ` +
        'replacement, revoke that one and issue another, otherwise run this again',
    },
    store,
  );
  return { ...draft.issued, previousKeyId: keyId, previousExpiresAt: end };
}

/** A key is never given more time than it had. */
function graceEnd({ entry }: StoredKey, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, entry?.expiresAt ?? end);
}

function draftReplacement(
  { keyId, details, entry }: StoredKey,
  owner: CompleteOwner,
  expiresAt: number | undefined,
  store: KeyStore,
): DraftKey {
  const traits = { label: details?.label, expiresAt: expiresAt ?? entry?.expiresAt };
  const draft = draftKey(owner, traits, store);
  return { ...draft, details: { ...draft.details, replaces: keyId } };
}

async function noteReplacement(
  { keyId, details }: StoredKey,
  draft: DraftKey,
  store: KeyStore,
): Promise<void> {
  const { ownerId, keyId: newKeyId } = draft.issued;
  const noted = await change(
    {
      table: store.ownersTable,
      key: { ownerId },
      update: details
        ? 'SET #keys.#new = :details, #keys.#old.replacedBy = :new'
        : 'SET #keys.#new = :details',
      condition: 'attribute_not_exists(#keys.#old.replacedBy)',
      names: { '#keys': 'keys', '#new': newKeyId, '#old': keyId },
      values: { ':details': draft.details, ...(details && { ':new': newKeyId }) },
    },
    store,
  );
  if (!noted) throw changedMeanwhile(keyId);
}

async function forgetReplacement(
  { keyId, details }: StoredKey,
  { issued }: DraftKey,
  store: KeyStore,
): Promise<void> {
  await change(
    {
      table: store.ownersTable,
      key: { ownerId: issued.ownerId },
      update: details ? 'REMOVE #keys.#new, #keys.#old.replacedBy' : 'REMOVE #keys.#new',
      condition: details ? '#keys.#old.replacedBy = :new' : 'attribute_exists(#keys.#new)',
      names: { '#keys': 'keys', '#new': issued.keyId, ...(details && { '#old': keyId }) },
      ...(details && { values: { ':new': issued.keyId } }),
    },
    store,
  );
}

/** Tries again while the old key's ban is not the one that was seen. */
async function replace(
  previous: StoredKey,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<void> {
  const { keyId, tokenHash } = previous;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { item } = complete((await readOwner(draft.issued.ownerId, store))!);
    const entry = item.keys.get(tokenHash);
    if (!entry) throw new NotFoundError(`${keyId} was revoked meanwhile; nothing was rotated`);
    const { bannedUntil, bannedBy, rejectionWindow, rejectionCount } = entry;
    const handedOn: DocumentOfEntry = {
      ...draft.entry,
      ...(bannedUntil > 0 && { bannedUntil, bannedBy }),
      ...(rejectionCount > 0 && { rejectionWindow, rejectionCount }),
    };
    if (await enterReplacement(previous, draft, { handedOn, end }, store)) return;
  }
  throw changedMeanwhile(keyId);
}

async function enterReplacement(
  { owner, tokenHash }: StoredKey,
  draft: DraftKey,
  { handedOn, end }: { handedOn: DocumentOfEntry; end: number },
  store: KeyStore,
): Promise<boolean> {
  const { bannedUntil } = handedOn;
  const changed = await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update: 'SET #keys.#new = :entry, #keys.#old.expiresAt = :end',
      condition:
        'attribute_exists(#keys.#old) AND ' +
        (bannedUntil === undefined
          ? 'attribute_not_exists(#keys.#old.bannedUntil)'
          : '#keys.#old.bannedUntil = :bannedUntil'),
      names: { '#keys': 'keys', '#new': draft.tokenHash, '#old': tokenHash },
      values: {
        ':entry': handedOn,
        ':end': end,
        ...(bannedUntil !== undefined && { ':bannedUntil': bannedUntil }),
      },
    },
    store,
  );
  return changed !== undefined;
}

function refuseUnlessRotatable(key: StoredKey, nowMs: number): void {
  const { keyId, status } = summarizeKey(key, nowMs);
  const replacement = key.details?.replacedBy;
  if (replacement) {
    throw new WrongStateError(
      `${keyId} was rotated before and is replaced by ${replacement}; rotate that one`,
    );
  }
  if (status === 'active' || status === 'banned') return;
  throw new WrongStateError(
    `${keyId} is ${status} and cannot be rotated; "keys issue" makes its owner a new one`,
  );
}

function changedMeanwhile(keyId: string): WrongStateError {
  return new WrongStateError(
    `${keyId} was changed by somebody else meanwhile; nothing was rotated: run the command again`,
  );
}
