import { isoTime } from '../console/view.ts';
import { type Condition, present } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { withoutDeadKeys } from '../store/dead-keys.ts';
import { differences } from '../store/history.ts';
import type { StoredKey } from '../store/keys.ts';
import { changeOwner } from '../store/owner-change.ts';
import type { StoredEntry } from '../store/stored-owner.ts';
import { type KeyView, keyView } from './key-view.ts';

/** Sets values of a key's entry, and removes the values that are undefined. Writes nothing if nothing would differ. */
export async function changeEntry(
  key: StoredKey,
  values: Partial<StoredEntry>,
  command: string,
  stage: KeyStage,
  where: Condition = {},
): Promise<KeyView> {
  const { keyId, owner, tokenHash } = key;
  const entry = { ...key.entry!, ...values };
  const view = keyView({ ...key, entry }, stage.now(), stage.plans);
  const changes = differences(recorded(key.entry!), recorded(entry));
  if (Object.keys(changes).length === 0) return view;
  const path = `keys.${tokenHash}`;
  const fields = Object.entries(values).map(([name, value]) => [`${path}.${name}`, value] as const);
  const change = {
    deed: { command, keyIds: [keyId], changes },
    item: {
      set: Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
      remove: fields.filter(([, value]) => value === undefined).map(([name]) => name),
      where: { [path]: present, ...where },
    },
  };
  await changeOwner(owner, withoutDeadKeys(owner, change, stage.now()), stage);
  return view;
}

function recorded({ expiresAt, bannedUntil, rejectionCount }: StoredEntry) {
  const [expiry, ban] = [expiresAt, bannedUntil].map((time) => time && isoTime(time));
  return { expiresAt: expiry, bannedUntil: ban, rejectionCount };
}
