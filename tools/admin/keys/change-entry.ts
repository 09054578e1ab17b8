import { isoTime } from '../console/view.ts';
import type { Condition } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { differences } from '../store/history.ts';
import { changeKeys } from '../store/key-change.ts';
import type { StoredKey } from '../store/keys.ts';
import type { StoredEntry } from '../store/stored-owner.ts';
import { type KeyView, keyView } from './key-view.ts';

/** Sets values of a key's entry, and removes the values that are undefined. Writes nothing if nothing would differ. */
export async function changeEntry(
  key: StoredKey,
  values: Partial<StoredEntry>,
  command: string,
  stage: KeyStage,
  where?: Condition,
): Promise<KeyView> {
  const { keyId, owner } = key;
  const entry = { ...key.entry!, ...values };
  const view = keyView({ ...key, entry }, stage.now(), stage.plans);
  const changes = differences(recorded(key.entry!), recorded(entry));
  if (Object.keys(changes).length === 0) return view;
  const deed = { command, keyIds: [keyId], changes };
  await changeKeys(owner, { deed, changed: { key, values }, where }, stage);
  return view;
}

function recorded({ expiresAt, bannedUntil, rejectionCount }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount };
}
