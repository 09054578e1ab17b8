import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { complete } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, keysOf, type StoredKey } from './find-key.ts';
import { grantKey } from './grant-key.ts';
import { summarizeKey } from './key-description.ts';
import { type DraftKey, draftKey, type IssuedKey } from './key-draft.ts';
import {
  changedMeanwhile,
  enterReplacement,
  forgetReplacement,
  noteReplacement,
  type Previous,
} from './key-replacement.ts';
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
      enter: async () => {
        await enterReplacement(previous, draft, end, store);
        await withdrawIfOvertaken(keyId, draft, store);
      },
      forget: () => forgetReplacement(previous, draft, store),
      explain: (reason) => ({
        problem: `It is not known whether ${keyId} was rotated: ${reason}`,
        remedy: 'run the command again, and where it names a replacement, rotate that one',
      }),
    },
    store,
  );
  return { ...draft.issued, previousKeyId: keyId, previousExpiresAt: end };
}

/** @throws WrongStateError for a key that cannot be rotated, with the command for what is wanted */
function rotatable(key: StoredKey, nowMs: number): Previous {
  const { keyId, details, entry, owner } = key;
  const { status } = summarizeKey(key, nowMs);
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

/** A key is never given more time than it had. */
function graceEnd({ expiresAt }: KeyEntry, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, expiresAt ?? end);
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
