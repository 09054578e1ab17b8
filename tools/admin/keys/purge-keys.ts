import { ChangedMeanwhileError } from '../../shared/errors.ts';
import { present, unchanged } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { runRepeatable } from '../stage/service-failure.ts';
import { ownersNamed } from '../stored/find-owner.ts';
import { changeAndRecord } from '../stored/history.ts';
import { keysOf, type StoredKey } from '../stored/stored-key.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';
import { keyView } from './key-view.ts';

/** The keys of one transaction, which has one record. */
const keysAtOnce = 20;

/** Finds the keys that were revoked or expired by a time, of all owners or of the one with this id or name. */
export async function findPurgeable(
  untilMs: number,
  stage: KeyStage,
  owner?: string,
): Promise<StoredKey[]> {
  return (await ownersNamed(owner, stage)).flatMap(keysOf).filter((key) => {
    const { status, revokedAt, createdAt, expiresAt } = keyView(key, stage.now());
    if (status !== 'revoked' && status !== 'expired') return false;
    return Date.parse(expiresAt ?? revokedAt ?? createdAt ?? '') <= untilMs;
  });
}

/** Removes the records of keys that are no longer valid. If it is interrupted, run it again. */
export async function purgeKeys(keys: readonly StoredKey[], stage: KeyStage): Promise<void> {
  await runRepeatable('Some keys may be purged and others not', async () => {
    for (const [owner, own] of Map.groupBy(keys, (key) => key.owner)) {
      for (let start = 0; start < own.length; start += keysAtOnce) {
        await purgeTogether(owner, own.slice(start, start + keysAtOnce), stage);
      }
    }
  });
}

/** @throws ChangedMeanwhileError if one of the keys has got another expiry since it was read */
async function purgeTogether({ details }: StoredOwner, keys: StoredKey[], stage: KeyStage) {
  const { ownerId } = details;
  const keyIds = keys.map(({ keyId }) => keyId);
  const entries = keys.flatMap(({ tokenHash, entry }) =>
    entry ? [{ path: `keys.${tokenHash}`, expiresAt: entry.expiresAt }] : [],
  );
  const remove = keyIds.map((keyId) => `keys.${keyId}`);
  const ofDetails = { remove, where: { ownerId: present } };
  const ofItem = {
    remove: entries.map(({ path }) => path),
    where: Object.fromEntries(
      entries.map(({ path, expiresAt }) => [`${path}.expiresAt`, unchanged(expiresAt)]),
    ),
  };
  const changes = entries.length > 0 ? { ofItem, ofDetails } : { ofDetails };
  const deed = { command: 'keys purge', keyIds };
  const refusal = () => new ChangedMeanwhileError(`A key of ${ownerId}`);
  await changeAndRecord(details, deed, changes, stage, refusal);
}
