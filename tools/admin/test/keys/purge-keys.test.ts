import { describe, expect, it } from '@jest/globals';
import { issueKey } from '../../keys/issue-key.ts';
import { listKeys } from '../../keys/key-view.ts';
import { findPurgeable, purgeKeys } from '../../keys/purge-keys.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { rotateKey } from '../../keys/rotate-key.ts';
import { changeOwner } from '../../owners/change-owner.ts';
import { createOwner } from '../../owners/create-owner.ts';
import type { KeyStore } from '../../stage/key-store.ts';
import {
  interposed,
  issueTo,
  isUpdateOf,
  nowMs,
  nowSeconds,
  stageOfEachTest,
  storeWithMishap,
} from '../stage-of-keys.ts';

const daySeconds = 86_400;

const stage = stageOfEachTest();
const { store, readAll } = stage;

const daysLater = (days: number): KeyStore => ({
  ...store,
  now: () => nowMs + days * daySeconds * 1_000,
});
const issue = (expiresAt?: number) => issueTo({ owner: 'Acme', expiresAt }, store);
const remaining = async () => (await listKeys({}, store)).map(({ keyId }) => keyId);

async function purge(olderThanDays: number, at: KeyStore): Promise<void> {
  await purgeKeys(await findPurgeable(olderThanDays * daySeconds, at), at);
}

describe('purgeKeys', () => {
  const kinds: [string, () => Promise<unknown>][] = [
    ['was revoked', async () => revokeKey((await issue()).keyId, store)],
    ['has expired', () => issue(nowSeconds)],
    [
      'has expired, though its owner is suspended',
      async () => {
        await issue(nowSeconds);
        await changeOwner('Acme', { status: 'suspended' }, store);
      },
    ],
    [
      'was only partly issued',
      async () => {
        await createOwner({ name: 'Acme', plan: 'free' }, store);
        const killed = storeWithMishap('followed by a kill', store, 0);
        await issueKey({ owner: 'Acme' }, killed.store).catch(() => {});
      },
    ],
  ];

  it.each(kinds)(
    'removes everything that is stored about a key that %s long enough ago',
    async (_, make) => {
      await make();
      expect(await remaining()).toHaveLength(1);

      await purge(30, daysLater(29));
      expect(await remaining()).toHaveLength(1);

      await purge(30, daysLater(30));
      expect(await remaining()).toEqual([]);
      const stored = [await readAll('ApiKeys'), await readAll('Owners')];
      expect(JSON.stringify(stored)).not.toContain('key_');
    },
  );

  it('keeps the details of a key that is being issued or rotated', async () => {
    await createOwner({ name: 'Acme', plan: 'free' }, store);
    const beforeEntry = () =>
      interposed(store, isUpdateOf(store.apiKeysTable), () => purge(0, store));

    const { keyId } = await issueKey({ owner: 'Acme', label: 'shop' }, beforeEntry());
    const rotated = await rotateKey(keyId, 60, beforeEntry());

    const listed = (await listKeys({}, store)).map(({ keyId: id, label }) => [id, label]);
    expect(listed.sort()).toEqual([keyId, rotated.keyId].sort().map((id) => [id, 'shop']));
  });

  it('does not touch valid keys', async () => {
    const { keyId } = await issue();
    const expiring = await issue(nowSeconds + 31 * daySeconds);

    await purge(0, daysLater(30));

    expect((await remaining()).sort()).toEqual([keyId, expiring.keyId].sort());
  });

  it('removes only the keys of the owner that is named', async () => {
    await revokeKey((await issue()).keyId, store);
    const other = await issueTo({ owner: 'Other' }, store);
    await revokeKey(other.keyId, store);

    const found = await findPurgeable(0, store, 'other');

    expect(found.map(({ keyId }) => keyId)).toEqual([other.keyId]);
  });
});
