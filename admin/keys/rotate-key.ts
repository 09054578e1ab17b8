import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { complete } from '../owners/find-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findKey, keysOf, type StoredKey } from './find-key.ts';
import { grantKey } from './grant-key.ts';
import { summarizeKey } from './key-description.ts';
import { type DraftKey, draftKey, type IssuedKey } from './key-draft.ts';
import {
  addReplacementEntry,
  changedMeanwhile,
  type RotatableKey,
  removeReplacement,
  saveReplacement,
} from './key-replacement.ts';
import { revokeKey } from './revoke-key.ts';

interface Rotation {
  /** How long the old token stays valid. */
  readonly graceSeconds: number;
  /** The new key's expiry in Unix seconds. @default - that of the old key */
  readonly expiresAt?: number;
}

interface RotatedKey extends IssuedKey {
  previousKeyId: string;
  /** The old key's expiry in Unix seconds. */
  previousExpiresAt: number;
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
      addEntry: async () => {
        await addReplacementEntry(previous, draft, end, store);
        await revokeIfSuperseded(keyId, draft, store);
      },
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

/** The old key's expiry in Unix seconds, which is never later than before. */
function graceEnd({ expiresAt }: KeyEntry, graceSeconds: number, nowMs: number): number {
  const end = Math.floor(nowMs / 1_000) + graceSeconds;
  return Math.min(end, expiresAt ?? end);
}

/**
 * Revokes the new key if another rotation of the same key has recorded its own replacement meanwhile,
 * because it considered this rotation interrupted.
 */
async function revokeIfSuperseded(
  keyId: string,
  { issued }: DraftKey,
  store: KeyStore,
): Promise<void> {
  const { details } = await findKey(keyId, store);
  if (details?.replacedBy === issued.keyId) return;
  await revokeKey(issued.keyId, store);
  throw changedMeanwhile(keyId);
}
