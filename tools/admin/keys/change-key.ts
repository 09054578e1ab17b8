import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { isoTime } from '../console/view.ts';
import { present, type Update, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import { isBanned, validEntry } from '../stored/key-state.ts';
import { findKey, type StoredKey } from '../stored/stored-key.ts';
import { inApiKeys, type StoredEntry } from '../stored/stored-owner.ts';
import { type KeyView, keyView } from './key-view.ts';

/**
 * Makes a key expire at another time, which can be earlier or later.
 *
 * @param key a key that is still valid, as it was read
 * @param expiresAt the new expiry in Unix seconds; undefined for none
 * @throws OperatorError if the key is no longer valid, or was changed meanwhile
 */
export async function expireKey(
  key: StoredKey,
  expiresAt: number | undefined,
  stage: KeyStage,
): Promise<KeyView> {
  const entry = validEntry(key, 'changed', stage.now());
  const path = `keys.${key.tokenHash}`;
  const where = { [path]: present, [`${path}.expiresAt`]: unchanged(entry.expiresAt) };
  const change =
    expiresAt === undefined
      ? { remove: [`${path}.expiresAt`] }
      : { set: { [`${path}.expiresAt`]: expiresAt } };
  return changeEntry(key, { ...entry, expiresAt }, { ...change, where }, 'keys expire', stage);
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
  const before = validEntry(key, 'unbanned', stage.now());
  const { bannedUntil: _b, rejectionWindow: _w, rejectionCount: _c, ...after } = before;
  const path = `keys.${key.tokenHash}`;
  const ban = ['bannedUntil', 'rejectionWindow', 'rejectionCount'];
  const remove = ban.map((name) => `${path}.${name}`);
  const update = { remove, where: { [path]: present } };
  const view = await changeEntry(key, after, update, 'keys unban', stage);
  return { ...view, wasBanned: isBanned(before, stage.now()) };
}

/** Changes a key's entry unless nothing would differ. @throws ChangedMeanwhileError if the condition fails */
async function changeEntry(
  key: StoredKey,
  after: StoredEntry,
  update: Update,
  command: string,
  stage: KeyStage,
): Promise<KeyView> {
  const { keyId, owner, entry } = key;
  const changes = differences(recorded(entry!), recorded(after));
  if (Object.keys(changes).length > 0) {
    const deed = { command, keyIds: [keyId], changes };
    const parts = [{ Update: inApiKeys(owner.details, update, stage) }];
    const isChanged = await changeAndRecord(owner.details.ownerId, deed, parts, stage);
    if (!isChanged) throw new ChangedMeanwhileError(keyId);
  }
  return keyView({ ...key, entry: after }, stage.now());
}

function recorded({ expiresAt, bannedUntil, rejectionCount }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount };
}
