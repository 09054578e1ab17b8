import { ChangedMeanwhileError, WrongStateError } from '../../shared/errors.ts';
import { isoTime } from '../console/view.ts';
import { changeItem } from '../owners/stored-owner.ts';
import { present, type Update } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { findKey, type StoredKey } from './find-key.ts';
import { isBanned, validEntry } from './key-state.ts';
import { type KeyView, keyView } from './key-view.ts';

/**
 * Makes a key expire later, for example after an early rotation. A key that never expires stays as it is.
 *
 * @param seconds how long the key works from now on
 * @throws OperatorError if there is no such key, it is no longer valid, or it already works longer
 */
export async function extendKey(keyId: string, seconds: number, stage: KeyStage): Promise<KeyView> {
  const key = await findKey(keyId, stage);
  const { expiresAt: before } = validEntry(key, 'extended', stage.now());
  const end = Math.floor(stage.now() / 1_000) + seconds;
  if (before === undefined) return keyView(key, stage.now());
  if (before > end) {
    throw new WrongStateError(`${keyId} works until ${isoTime(before)}: nothing was changed`, {
      remedy: 'give a longer time',
    });
  }
  const path = `keys.${key.tokenHash}.expiresAt`;
  return changeEntry(key, { set: { [path]: end }, where: { [path]: before } }, stage);
}

/**
 * Lifts a key's ban and resets its count of rejections. The owner's usage does not change. It is not an
 * error if the key is not banned.
 *
 * @throws OperatorError if there is no such key, or it is no longer valid
 */
export async function unbanKey(
  keyId: string,
  stage: KeyStage,
): Promise<KeyView & { wasBanned: boolean }> {
  const key = await findKey(keyId, stage);
  const entry = validEntry(key, 'unbanned', stage.now());
  const path = `keys.${key.tokenHash}`;
  const ban = ['bannedUntil', 'rejectionWindow', 'rejectionCount'];
  const remove = ban.map((name) => `${path}.${name}`);
  const view = await changeEntry(key, { remove, where: { [path]: present } }, stage);
  return { ...view, wasBanned: isBanned(entry, stage.now()) };
}

/** Changes a key's entry. @throws ChangedMeanwhileError if the condition fails */
async function changeEntry(
  { keyId, owner }: StoredKey,
  update: Update,
  stage: KeyStage,
): Promise<KeyView> {
  if (!(await changeItem(owner.details, update, stage))) throw new ChangedMeanwhileError(keyId);
  return keyView(await findKey(keyId, stage), stage.now());
}
