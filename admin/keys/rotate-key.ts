import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { complete } from '../owners/find-owner.ts';
import type { DocumentOfEntry } from '../owners/stored-owner.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, keysOf, type StoredKey } from './find-key.ts';
import { forgetDetails, grantKey } from './grant-key.ts';
import { isBanned, summarizeKey } from './key-description.ts';
import { type DraftKey, draftKey, type IssuedKey } from './key-draft.ts';
import { revokeKey } from './revoke-key.ts';

export interface Rotation {
  /** How long the old token still works. */
  readonly graceSeconds: number;
  /** The new key's expiry in Unix seconds. @default the old key's */
  readonly expiresAt?: number;
}

export interface RotatedKey extends IssuedKey {
  previousKeyId: string;
  /** Unix seconds. */
  previousExpiresAt: number;
}

/** A key that can be rotated: its entry, and the replacement that an interrupted rotation left. */
interface Previous {
  readonly key: StoredKey;
  readonly entry: KeyEntry;
  readonly abandoned: string | undefined;
}

// Each attempt fails only where the old key's ban began, ended or was lifted since it was read.
const maxAttempts = 10;

/**
 * Replaces a key by a new one of the same owner, with the same label. Both work during the grace
 * period, and share the owner's limits as all its keys do. The replacement of a banned key is banned
 * as long, and has as many rejections counted.
 *
 * The new key's entry and the old one's expiry are one write: either the old key expires and there
 * is a new one, or nothing has changed.
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
      note: () => noteReplacement(previous, draft, store),
      enter: () => replace(previous, draft, end, store),
      forget: () => forgetReplacement(previous, draft, store),
      explain: (reason) =>
        `It is not known whether ${keyId} was rotated: ${reason}; run the command again, and where ` +
        'it names a replacement, rotate that one',
    },
    store,
  );
  await withdrawIfOvertaken(keyId, draft, store);
  return { ...draft.issued, previousKeyId: keyId, previousExpiresAt: end };
}

/** @throws WrongStateError for a key that cannot be rotated, with the command for what is wanted */
function rotatable(key: StoredKey, nowMs: number): Previous {
  const { keyId, details, entry, owner } = key;
  const { status } = summarizeKey(key, nowMs);
  if (status === 'suspended') {
    throw new WrongStateError(
      `${keyId} cannot be rotated while its owner is suspended; "owners resume" ends that`,
    );
  }
  if (!entry || (status !== 'active' && status !== 'banned')) {
    throw new WrongStateError(
      `${keyId} is ${status} and cannot be rotated; "keys issue" makes its owner a new one`,
    );
  }
  if (!details) {
    throw new WrongStateError(
      `The details of ${keyId} are gone: "keys issue" makes its owner a new one, "keys revoke" ` +
        'ends this one',
    );
  }
  const replacement = keysOf(owner).find((each) => each.keyId === details.replacedBy);
  if (replacement?.entry) {
    throw new WrongStateError(
      `${keyId} was rotated before and is replaced by ${replacement.keyId}; rotate that one`,
    );
  }
  return { key, entry, abandoned: details.replacedBy };
}

/** A key is never given more time than it had. */
function graceEnd({ expiresAt }: KeyEntry, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, expiresAt ?? end);
}

/** Of two rotations of a key at the same time, only one can note its replacement. */
async function noteReplacement(
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

async function replace(
  previous: Previous,
  draft: DraftKey,
  end: number,
  store: KeyStore,
): Promise<void> {
  let { key, entry } = previous;
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (await enterReplacement(key, entry, draft, end, store)) return;
    key = await findKey(key.keyId, store);
    // The answer to a write that was carried out may have been lost, and the write repeated.
    if (key.owner.item?.keys.has(draft.tokenHash)) return;
    if (!key.entry || key.entry.expiresAt !== entry.expiresAt) break;
    entry = key.entry;
  }
  throw changedMeanwhile(key.keyId);
}

/** Returns whether the old key's ban and expiry were still as they were read. */
async function enterReplacement(
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

async function forgetReplacement(
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

/**
 * Another rotation, which took this one for interrupted, may have noted its own replacement since:
 * that one holds.
 */
async function withdrawIfOvertaken(
  keyId: string,
  { issued }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const { details } = await findKey(keyId, store);
  if (details?.replacedBy === issued.keyId) return;
  await revokeKey(issued.keyId, store);
  throw changedMeanwhile(keyId);
}

function changedMeanwhile(keyId: string): WrongStateError {
  return new WrongStateError(
    `${keyId} was changed by somebody else meanwhile, and was not rotated here: run the command again`,
  );
}
