import type { Plans } from '../../../lambdas/domain/plan.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { isoTime } from '../console/view.ts';
import { present, size, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { complete } from '../stored/find-owner.ts';
import { differences } from '../stored/history.ts';
import { isBanned, validEntry } from '../stored/key-state.ts';
import { findKey, replacementOf, type StoredKey } from '../stored/stored-key.ts';
import type { StoredEntry } from '../stored/stored-owner.ts';
import { revocationOf } from './change-key.ts';
import { draftKey, type IssuedKey, storeKey, tooManyKeys } from './issue-key.ts';

/**
 * Replaces a key with one that inherits its label, access, expiry, ban and count of rejections. One transaction
 * requires the old key's ban and expiry and the number of keys to be as they were read. So no later ban is lost,
 * and the second of two simultaneous rotations fails.
 *
 * @param graceEnd when the old token stops being valid, in Unix seconds. If it is not ahead, the old key is revoked
 * @returns the new key, and the old key's expiry in Unix seconds unless it is revoked
 * @throws OperatorError if the key is not valid, or was already rotated, or the owner would have too many keys
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
  const draft = draftKey(owner, traits, inheritedFrom(entry, stage.now(), stage.plans), stage);
  // The old key does not get more time than it had.
  const end = isRevoked ? undefined : Math.min(graceEnd, expiresAt ?? graceEnd);
  const path = `keys.${old.tokenHash}`;
  const update = {
    ...(isRevoked ? { remove: [path] } : { set: { [`${path}.expiresAt`]: end } }),
    where: {
      [path]: present,
      keys: size('=', Object.keys(owner.item.keys).length),
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
  const details = isRevoked && old.details ? revocationOf(old, stage) : {};
  const remedy = 'run the command again';
  const issued = await storeKey(draft, update, deed, remedy, stage, undefined, details);
  return { ...issued, previousExpiresAt: end };
}

/** @throws WrongStateError if a key already has a replacement */
function refuseReplaced(key: StoredKey): void {
  const replacement = replacementOf(key);
  if (!replacement) return;
  const { keyId: by } = replacement;
  const problem = `${key.keyId} was already replaced by ${by}: nothing was changed`;
  const remedy =
    `"./admin keys whois ${by}" shows whether it is used; if nobody has received its API key, ` +
    `"./admin keys rotate ${by}" issues another`;
  throw new WrongStateError(problem, { remedy });
}

/** What a replacement takes over: everything but the id, the last use, and a ban that is over or void. */
function inheritedFrom(entry: StoredEntry, nowMs: number, plans: Plans): Omit<StoredEntry, 'id'> {
  const { id: _id, usedAt: _usedAt, bannedUntil, ...inherited } = entry;
  return { ...inherited, ...(isBanned(entry, nowMs, plans) && { bannedUntil }) };
}
