import { describe, expect, it } from '@jest/globals';
import { issueKey } from '../../keys/issue-key.ts';
import { listKeys } from '../../keys/key-view.ts';
import { findPurgeable, purgeKeys } from '../../keys/purge-keys.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { rotateKey } from '../../keys/rotate-key.ts';
import { changeOwner } from '../../owners/change-owner.ts';
import { createOwner } from '../../owners/create-owner.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import {
  interposed,
  issueTo,
  isUpdateOf,
  nowMs,
  nowSeconds,
  stageOfEachTest,
  stageWithMishap,
} from '../stage-of-keys.ts';

const daySeconds = 86_400;

const fixture = stageOfEachTest();
const { stage, readAll } = fixture;

const daysLater = (days: number): KeyStage => ({
  ...stage,
  now: () => nowMs + days * daySeconds * 1_000,
});
const issue = (expiresAt?: number) => issueTo({ owner: 'Acme', expiresAt }, stage);
const remaining = async () => (await listKeys({}, stage)).map(({ keyId }) => keyId);

async function purge(olderThanDays: number, at: KeyStage): Promise<void> {
  await purgeKeys(await findPurgeable(olderThanDays * daySeconds, at), at);
}

describe('purgeKeys', () => {
  const kinds: [string, () => Promise<unknown>][] = [
    ['was revoked', async () => revokeKey((await issue()).keyId, stage)],
    ['has expired', () => issue(nowSeconds)],
    [
      'has expired, though its owner is suspended',
      async () => {
        await issue(nowSeconds);
        await changeOwner('Acme', { status: 'suspended' }, stage);
      },
    ],
    [
      'was only partly issued',
      async () => {
        await createOwner({ name: 'Acme', plan: 'free' }, stage);
        const killed = stageWithMishap('followed by a kill', stage, 0);
        await issueKey({ owner: 'Acme' }, killed.stage).catch(() => {});
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
    await createOwner({ name: 'Acme', plan: 'free' }, stage);
    const beforeEntry = () =>
      interposed(stage, isUpdateOf(stage.apiKeysTable), () => purge(0, stage));

    const { keyId } = await issueKey({ owner: 'Acme', label: 'shop' }, beforeEntry());
    const rotated = await rotateKey(keyId, 60, beforeEntry());

    const listed = (await listKeys({}, stage)).map(({ keyId: id, label }) => [id, label]);
    expect(listed.sort()).toEqual([keyId, rotated.keyId].sort().map((id) => [id, 'shop']));
  });

  it('does not touch valid keys', async () => {
    const { keyId } = await issue();
    const expiring = await issue(nowSeconds + 31 * daySeconds);

    await purge(0, daysLater(30));

    expect((await remaining()).sort()).toEqual([keyId, expiring.keyId].sort());
  });

  it('removes only the keys of the owner that is named', async () => {
    await revokeKey((await issue()).keyId, stage);
    const other = await issueTo({ owner: 'Other' }, stage);
    await revokeKey(other.keyId, stage);

    const found = await findPurgeable(0, stage, 'other');

    expect(found.map(({ keyId }) => keyId)).toEqual([other.keyId]);
  });
});
