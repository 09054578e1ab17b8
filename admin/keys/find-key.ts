import type { KeyEntry } from '../../lambdas/shared/owner-record.ts';
import { isKeyId, ownerIdOf } from '../../shared/api-key-token.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import { readOwner } from '../owners/find-owner.ts';
import type { KeyDetails, StoredOwner } from '../owners/stored-owner.ts';
import type { KeyStore } from '../stage/key-store.ts';

/** All that is stored of a key. */
export interface StoredKey {
  readonly keyId: string;
  readonly owner: StoredOwner;
  /** Names the key's entry in its owner's item, if it has one. */
  readonly tokenHash: string;
  /** Undefined when somebody has removed them by hand: the key can be valid all the same. */
  readonly details: KeyDetails | undefined;
  /** Undefined for a key that is not valid: revoked, or issued in part only. */
  readonly entry: KeyEntry | undefined;
}

/**
 * A key as it is now.
 *
 * @throws OperatorError when the id is malformed, or no key has it
 */
export async function findKey(keyId: string, store: KeyStore): Promise<StoredKey> {
  refuseMalformed(keyId);
  const owner = await readOwner(ownerIdOf(keyId), store);
  const key = owner && keysOf(owner).find((each) => each.keyId === keyId);
  if (key) return key;
  throw new NotFoundError(`No key has the id ${keyId}`, {
    remedy: '"keys list" shows those there are',
  });
}

/** Every key of an owner: those with details, and any other that is valid. */
export function keysOf(owner: StoredOwner): StoredKey[] {
  const details = Object.entries(owner.details.keys);
  const entries = owner.item?.keys ?? new Map<string, KeyEntry>();
  const known = details.map(([keyId, each]) => {
    const { tokenHash } = each;
    return { keyId, owner, tokenHash, details: each, entry: entries.get(tokenHash) };
  });
  const knownHashes = new Set(known.map(({ tokenHash }) => tokenHash));
  const unknown = [...entries]
    .filter(([tokenHash]) => !knownHashes.has(tokenHash))
    .map(([tokenHash, entry]) => {
      return { keyId: entry.keyId, owner, tokenHash, details: undefined, entry };
    });
  return [...known, ...unknown];
}

function refuseMalformed(keyId: string): void {
  if (isKeyId(keyId)) return;
  refuseToken('key id', keyId);
  throw new InvalidValueError(
    'key id',
    keyId,
    'a whole one, "key_" and 32 characters, as "keys list" shows it',
  );
}
