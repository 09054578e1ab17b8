import { WrongStateError } from '../../shared/errors.ts';
import { isoTime } from '../console/view.ts';
import { present, size, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { complete } from '../stored/find-owner.ts';
import { differences } from '../stored/history.ts';
import { validEntry } from '../stored/key-state.ts';
import { findKey, replacementOf, type StoredKey } from '../stored/stored-key.ts';
import type { StoredEntry } from '../stored/stored-owner.ts';
import { revocationOf } from './change-key.ts';
import { draftKey, type IssuedKey, storeKey, tooManyKeys } from './issue-key.ts';

/**
 * Replaces a key with a new key that inherits its label, access, expiry, ban and count of rejections. The transaction
 * fails if the old key's ban or expiry, or the number of keys, has changed since it was read. So a ban that begins at
 * the same time is not lost, and the second of two simultaneous rotations fails.
 *
 * @param graceEnd the old token's end, in Unix seconds. If this time has passed, the old key is revoked
 * @returns the new key, and the old key's expiry in Unix seconds unless it is revoked
 * @throws OperatorError if the key is not valid, if it was already rotated, or if the owner would have too many keys
 */
export async function rotateKey(
  keyId: string,
  graceEnd: number,
  stage: KeyStage,
): Promise<IssuedKey & { previousExpiresAt: number | undefined }> {
  const old = await findKey(keyId, stage);
  refuseReplaced(old);
  const entry = validEntry(old, 'rotated', stage.now());
  const { bannedUntil, expiresAt } = entry;
  const owner = complete(old.owner);
  const isRevoked = graceEnd <= Math.floor(stage.now() / 1_000);
  const tooMany = tooManyKeys(owner, isRevoked ? 0 : 1, stage);
  if (tooMany) throw tooMany;
  const traits = { label: old.details?.label, replaces: keyId };
  const draft = draftKey(owner, traits, inheritedFrom(entry), stage);
  // A rotation must not let the old key work longer than it would without the rotation.
  const end = isRevoked ? undefined : Math.min(graceEnd, expiresAt ?? graceEnd);
  const path = `keys.${old.tokenHash}`;
  const update = {
    ...(isRevoked ? { remove: [path] } : { set: { [`${path}.expiresAt`]: end } }),
    where: {
      [path]: present,
      [`${path}.bannedUntil`]: unchanged(bannedUntil),
      [`${path}.expiresAt`]: unchanged(expiresAt),
    },
  };
  const [from, to] = [expiresAt, end].map((time) => time && isoTime(time));
  const deed = {
    command: 'keys rotate',
    keyIds: [keyId, draft.keyId],
    changes: isRevoked
      ? differences({}, { status: 'revoked' })
      : differences({ expiresAt: from }, { expiresAt: to }),
  };
  const ofDetails = {
    set: isRevoked && old.details ? revocationOf(old, stage) : {},
    // The details may have been read before another rotation of the same key, and the item after it.
    where: { keys: size('=', Object.keys(owner.details.keys).length) },
  };
  const remedy = 'run the command again';
  const issued = await storeKey(draft, update, deed, remedy, stage, undefined, ofDetails);
  return { ...issued, previousExpiresAt: end };
}

/** @throws WrongStateError if a key already has a replacement */
function refuseReplaced(key: StoredKey): void {
  const replacement = replacementOf(key);
  if (!replacement) return;
  const { keyId: by } = replacement;
  const problem = `nothing was changed: ${by} has already replaced ${key.keyId}`;
  const remedy =
    `"./admin keys whois ${by}" shows whether the new key is used; if nobody has received its API key, ` +
    `"./admin keys rotate ${by}" replaces the new key`;
  throw new WrongStateError(problem, { remedy });
}

/** The values of an entry that a replacement inherits: all except the id and the last use. */
function inheritedFrom({ id: _id, usedAt: _usedAt, ...inherited }: StoredEntry) {
  return inherited;
}
