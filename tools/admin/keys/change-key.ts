import { isoTime } from '../console/view.ts';
import { type Condition, present, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { changeAndRecord, differences } from '../stored/history.ts';
import { isBanned, validEntry } from '../stored/key-state.ts';
import { findKey, type StoredKey } from '../stored/stored-key.ts';
import type { StoredEntry } from '../stored/stored-owner.ts';
import { changeKeys } from './change-keys.ts';
import { type KeyView, keyView } from './key-view.ts';

/** Changes a key's expiry in Unix seconds; undefined for never. @throws OperatorError if the key is not valid */
export async function expireKey(
  key: StoredKey,
  expiresAt: number | undefined,
  stage: KeyStage,
): Promise<KeyView> {
  const before = validEntry(key, 'changed', stage.now());
  const where = { [`keys.${key.tokenHash}.expiresAt`]: unchanged(before.expiresAt) };
  return changeEntry(key, { expiresAt }, where, 'keys expire', stage);
}

/** Lifts a key's ban, and resets the key's count of rejections. @throws OperatorError if the key is not valid */
export async function unbanKey(keyId: string, stage: KeyStage) {
  const key = await findKey(keyId, stage);
  const { plans } = stage;
  const before = validEntry(key, 'unbanned', stage.now());
  const noBan = { bannedUntil: undefined, rejectionWindow: undefined, rejectionCount: undefined };
  const view = await changeEntry(key, noBan, {}, 'keys unban', stage);
  return { ...view, wasBanned: isBanned(before, stage.now(), plans) };
}

/** Removes a key's entry from the ApiKeys table, so that the key is refused. Returns false if there is no entry. */
export async function revokeKey(keyId: string, stage: KeyStage): Promise<boolean> {
  const key = await findKey(keyId, stage);
  const { tokenHash, owner, details, entry } = key;
  if (!entry) return false;
  const [pathOfEntry, pathOfDetails] = [`keys.${tokenHash}`, `keys.${keyId}`];
  const ofItem = { remove: [pathOfEntry], where: { [pathOfEntry]: present } };
  const set = revocationOf(key, stage);
  const ofDetails = details && { set, where: { [pathOfDetails]: present } };
  const deed = { command: 'keys revoke', keyIds: [keyId] };
  await changeAndRecord(owner.details, deed, { ofItem, ofDetails }, stage);
  return true;
}

/** The attributes that the details of a key get when the key is revoked. */
export function revocationOf({ keyId, entry }: StoredKey, { now }: KeyStage) {
  const path = `keys.${keyId}`;
  return {
    [`${path}.revokedAt`]: new Date(now()).toISOString(),
    ...(entry?.usedAt && { [`${path}.usedAt`]: entry.usedAt }),
  };
}

/** Sets values of a key's entry, and removes the values that are undefined. Writes nothing if nothing would differ. */
async function changeEntry(
  key: StoredKey,
  values: Partial<StoredEntry>,
  where: Condition,
  command: string,
  stage: KeyStage,
): Promise<KeyView> {
  const { keyId, owner, tokenHash } = key;
  const entry = { ...key.entry!, ...values };
  const view = keyView({ ...key, entry }, stage.now(), stage.plans);
  const changes = differences(recorded(key.entry!), recorded(entry));
  if (Object.keys(changes).length > 0) {
    const path = `keys.${tokenHash}`;
    const fields = Object.entries(values).map(
      ([name, value]) => [`${path}.${name}`, value] as const,
    );
    const ofItem = {
      set: Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
      remove: fields.filter(([, value]) => value === undefined).map(([name]) => name),
      where: { [path]: present, ...where },
    };
    await changeKeys(owner, { command, keyIds: [keyId], changes }, { ofItem }, stage);
  }
  return view;
}

function recorded({ expiresAt, bannedUntil, rejectionCount }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount };
}
