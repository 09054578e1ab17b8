import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { complete } from '../owners/find-owner.ts';
import type { DocumentOfEntry } from '../owners/stored-owner.ts';
import { change } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, keysOf, type StoredKey } from './find-key.ts';
import { type DraftKey, draftKey, grantKey, type IssuedKey, removeDetails } from './key-draft.ts';
import { isBanned, keyView } from './key-view.ts';

interface Rotation {
  /** How long the old token stays valid. */
  readonly graceSeconds: number;
  /** The new key's expiry in Unix seconds. @default - that of the old key */
  readonly expiresAt?: number | undefined;
}

interface RotatedKey extends IssuedKey {
  previousKeyId: string;
  /** The old key's expiry in Unix seconds. */
  previousExpiresAt: number;
}

/** A key that can be rotated, with the replacement of an interrupted rotation, if there was one. */
interface RotatableKey {
  readonly key: StoredKey;
  readonly entry: KeyEntry;
  readonly abandoned: string | undefined;
}

/**
 * Replaces a key by a new one of the same owner, with the same label. Both are valid during the grace
 * period. The new key inherits the old one's ban and counted rejections.
 *
 * The new key's entry and the old key's expiry are one write, so either both take effect or neither.
 *
 * @throws OperatorError when the key is not valid, or was rotated before
 */
export async function rotateKey(
  keyId: string,
  { graceSeconds, expiresAt }: Rotation,
  store: KeyStore,
): Promise<RotatedKey> {
  const previous = rotatable(await findKey(keyId, store), store.now());
  const { key, entry } = previous;
  const traits = { label: key.details!.label, expiresAt: expiresAt ?? entry.expiresAt };
  const draft = draftKey(complete(key.owner), traits, store);
  draft.details.replaces = keyId;
  const end = graceEnd(entry, graceSeconds, store.now());
  await grantKey(
    draft,
    {
      saveDetails: () => saveReplacement(previous, draft, store),
      addEntry: () => addReplacementEntry(previous, draft, end, store),
      removeDetails: () => removeReplacement(previous, draft, store),
      explain: (reason) => ({
        problem: `It is not known whether ${keyId} was rotated: ${reason}`,
        remedy: 'run the command again, and where it names a replacement, rotate that one',
      }),
    },
    store,
  );
  return { ...draft.issued, previousKeyId: keyId, previousExpiresAt: end };
}

/** @throws WrongStateError when the key cannot be rotated; its remedy is the command to use instead */
function rotatable(key: StoredKey, nowMs: number): RotatableKey {
  const { keyId, details, entry, owner } = key;
  const { status } = keyView(key, nowMs);
  if (status === 'suspended') {
    throw new WrongStateError(`${keyId} cannot be rotated while its owner is suspended`, {
      remedy: '"owners resume" ends that',
    });
  }
  if (!entry || (status !== 'active' && status !== 'banned')) {
    throw new WrongStateError(`${keyId} is ${status} and cannot be rotated`, {
      remedy: '"keys issue" makes its owner a new one',
    });
  }
  if (!details) {
    throw new WrongStateError(`The details of ${keyId} are gone`, {
      remedy: '"keys issue" makes its owner a new one, "keys revoke" ends this one',
    });
  }
  const replacement = keysOf(owner).find((each) => each.keyId === details.replacedBy);
  if (replacement?.entry) {
    throw new WrongStateError(
      `${keyId} was rotated before and is replaced by ${replacement.keyId}`,
      { remedy: 'rotate that one' },
    );
  }
  return { key, entry, abandoned: details.replacedBy };
}

/** The old key's expiry in Unix seconds, which is never later than before. */
function graceEnd({ expiresAt }: KeyEntry, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, expiresAt ?? end);
}

/**
 * Writes the replacement's details and records it with the old key. Of concurrent rotations, only one
 * can do this.
 *
 * @throws WrongStateError when another rotation was first
 */
async function saveReplacement(
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
 * Adds the replacement's entry and sets the old key's expiry in one write, if the old key's ban and
 * expiry are as they were read. The ban is copied, and the expiry tells a concurrent rotation.
 *
 * @param end the old key's expiry in Unix seconds
 * @throws WrongStateError when the old key was changed meanwhile
 */
async function addReplacementEntry(
  { key: { keyId, tokenHash, owner }, entry: old }: RotatableKey,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<void> {
  const entry: DocumentOfEntry = { ...draft.entry, ...banAndRejections(old, store.now()) };
  const unchanged = [
    same('bannedUntil', old.bannedUntil || undefined),
    same('expiresAt', old.expiresAt),
  ];
  const entered = await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash: owner.details.ownerHash },
      update: 'SET #keys.#new = :entry, #keys.#old.expiresAt = :end',
      condition: ['attribute_exists(#keys.#old)', ...unchanged.map((each) => each.condition)].join(
        ' AND ',
      ),
      names: { '#keys': 'keys', '#new': draft.tokenHash, '#old': tokenHash },
      values: Object.assign(
        { ':entry': entry, ':end': end },
        ...unchanged.map(({ values }) => values),
      ),
    },
    store,
  );
  if (!entered) throw changedMeanwhile(keyId);
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

/** Undoes `saveReplacement`, unless another rotation has replaced it meanwhile. */
async function removeReplacement(
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

function changedMeanwhile(keyId: string): WrongStateError {
  return new WrongStateError(
    `${keyId} was changed by somebody else meanwhile, and was not rotated here`,
    { remedy: 'run the command again' },
  );
}
