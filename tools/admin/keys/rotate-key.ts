import { ChangedMeanwhileError, WrongStateError } from '../../shared/errors.ts';
import { complete } from '../owners/find-owner.ts';
import { changeItem, type StoredEntry } from '../owners/stored-owner.ts';
import { present, size, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findKey, replacementOf, type StoredKey } from './find-key.ts';
import { type DraftKey, draftKey, grantKey, type IssuedKey } from './issue-key.ts';
import { isBanned, validEntry } from './key-state.ts';

/**
 * Replaces a key with a new key of the same owner, label, access and expiry. Both are valid during the grace period.
 * The new key inherits the old key's ban and count of rejections.
 *
 * One write adds the new key's entry and sets the old key's expiry, so both take effect or neither.
 *
 * @param graceSeconds how long the old token stays valid
 * @returns the new key, and the old key's expiry in Unix seconds
 * @throws OperatorError if the key is not valid, or was already rotated
 */
export async function rotateKey(
  keyId: string,
  graceSeconds: number,
  stage: KeyStage,
): Promise<IssuedKey & { previousExpiresAt: number }> {
  const old = await findKey(keyId, stage);
  const replacement = replacementOf(old);
  if (replacement) {
    const { keyId: by } = replacement;
    const problem = `${keyId} was already replaced by ${by}: nothing was changed`;
    // An earlier run may have been killed before it showed the replacement, whose token nobody has.
    const remedy =
      `"./admin keys show ${by}" shows whether it is used; if nobody has received its API key, ` +
      `"./admin keys rotate ${by}" issues another`;
    throw new WrongStateError(problem, { remedy });
  }
  const entry = validEntry(old, 'rotated', stage.now());
  const { expiresAt, isReadOnly } = entry;
  const traits = { label: old.details?.label, expiresAt, isReadOnly };
  const draft = draftKey(complete(old.owner), traits, stage);
  draft.details.replaces = keyId;
  const graceEnd = Math.floor(stage.now() / 1_000) + graceSeconds;
  // The old key does not get more time than it had.
  const end = Math.min(graceEnd, entry.expiresAt ?? graceEnd);
  const remedy = 'run the command again';
  await grantKey(draft, () => addReplacementEntry(old, entry, draft, end, stage), remedy, stage);
  return { ...draft.issued, previousExpiresAt: end };
}

/**
 * Adds the replacement's entry and sets the old key's expiry, if the old key's ban and expiry and the number
 * of keys are as they were read. So no later ban is lost, and the second of two simultaneous rotations fails.
 *
 * @param end the old key's expiry in Unix seconds
 * @throws ChangedMeanwhileError if the owner's keys were changed meanwhile
 */
async function addReplacementEntry(
  { keyId, tokenHash, owner }: StoredKey,
  old: StoredEntry,
  draft: DraftKey,
  end: number,
  stage: KeyStage,
): Promise<void> {
  const { bannedUntil, rejectionWindow, rejectionCount } = old;
  const ban = isBanned(old, stage.now()) && { bannedUntil };
  const entry: StoredEntry = { ...draft.entry, ...ban, rejectionWindow, rejectionCount };
  const oldEntry = `keys.${tokenHash}`;
  const isRotated = await changeItem(
    owner.details,
    {
      set: { [`keys.${draft.tokenHash}`]: entry, [`${oldEntry}.expiresAt`]: end },
      where: {
        [oldEntry]: present,
        keys: size('=', Object.keys(owner.item!.keys).length),
        [`${oldEntry}.bannedUntil`]: unchanged(bannedUntil),
        [`${oldEntry}.expiresAt`]: unchanged(old.expiresAt),
      },
    },
    stage,
  );
  if (!isRotated) throw new ChangedMeanwhileError(keyId);
}
