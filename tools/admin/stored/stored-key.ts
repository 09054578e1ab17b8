import { keyIdOf } from '../../../lambdas/keys/owner-record.ts';
import { InvalidValueError, NotFoundError } from '../../shared/errors.ts';
import { refuseToken } from '../console/checked-text.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { readOwner } from './find-owner.ts';
import { isKeyId, ownerIdOf } from './identities.ts';
import type { KeyDetails, StoredEntry, StoredOwner } from './stored-owner.ts';

/** Everything that is stored about a key. */
export interface StoredKey {
  readonly keyId: string;
  readonly owner: StoredOwner;
  /** The name of the key's entry in the map `keys` of its owner's item. */
  readonly tokenHash: string;
  /** Undefined if only the ApiKeys table was restored to an earlier time. The key can still be valid. */
  readonly details: KeyDetails | undefined;
  /** Undefined if the key is revoked, or has expired and left its owner's item. */
  readonly entry: StoredEntry | undefined;
}

/** Finds a key by its id. @throws OperatorError if the id is malformed, or there is no such key */
export async function findKey(keyId: string, stage: KeyStage): Promise<StoredKey> {
  refuseMalformed(keyId);
  const owner = await readOwner(ownerIdOf(keyId), stage);
  const key = owner && keysOf(owner).find((each) => each.keyId === keyId);
  if (key) return key;
  throw new NotFoundError(`No key has the id ${keyId}`, {
    remedy: '"./admin keys list" shows all keys, for 90 days after their end',
  });
}

/** Lists all keys of an owner, including valid keys whose details were removed. */
export function keysOf(owner: StoredOwner): StoredKey[] {
  const { ownerId, keys } = owner.details;
  const entries = owner.item?.keys ?? {};
  const known = Object.entries(keys).map(([keyId, details]) => {
    const { tokenHash } = details;
    return { keyId, owner, tokenHash, details, entry: entries[tokenHash] };
  });
  const knownHashes = new Set(known.map(({ tokenHash }) => tokenHash));
  const unknown = Object.entries(entries)
    .filter(([tokenHash]) => !knownHashes.has(tokenHash))
    .map(([tokenHash, entry]) => {
      return { keyId: keyIdOf(ownerId, entry.id), owner, tokenHash, details: undefined, entry };
    });
  return [...known, ...unknown];
}

/** The key that has replaced a key, unless this replacement was revoked. */
export function replacementOf({ keyId, owner }: StoredKey): StoredKey | undefined {
  return keysOf(owner).find(({ details, entry }) => entry && details?.replaces === keyId);
}

/** @throws OperatorError if a text does not have the form of a key id; the message contains no token */
export function refuseMalformed(keyId: string): void {
  if (isKeyId(keyId)) return;
  refuseToken('key id', keyId);
  throw new InvalidValueError(
    'key id',
    keyId,
    '"key_" and 32 characters, as "./admin keys list" shows them',
  );
}
