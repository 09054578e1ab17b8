import { describe, expect, it } from '@jest/globals';
import { expireKey, revokeKey } from '../../keys/change-key.ts';
import { listKeys } from '../../keys/key-view.ts';
import { findPurgeable, purgeKeys } from '../../keys/purge-keys.ts';
import { setOwnerStatus } from '../../owners/change-owner.ts';
import type { KeyStage } from '../../stage/key-stage.ts';
import { findKey } from '../../stored/stored-key.ts';
import { issueTo, nowMs, nowSeconds, stageOfEachTest } from '../stage-of-keys.ts';

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
  await purgeKeys(await findPurgeable(at.now() - olderThanDays * daySeconds * 1_000, at), at);
}

describe('purgeKeys', () => {
  const kinds: [string, () => Promise<unknown>][] = [
    ['was revoked', async () => revokeKey((await issue()).keyId, stage)],
    ['has expired', () => issue(nowSeconds)],
    [
      'has expired, though its owner is suspended',
      async () => {
        await issue(nowSeconds);
        await setOwnerStatus('Acme', 'suspended', stage);
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
      const owners = (await readAll('Owners')).filter(({ name }) => name);
      expect(JSON.stringify([await readAll('ApiKeys'), owners])).not.toContain('key_');
    },
  );

  it('keeps a key that gets another expiry after it was read', async () => {
    const { keyId } = await issue(nowSeconds + 60);
    const later = daysLater(1);
    const found = await findPurgeable(later.now(), later);
    await expireKey(await findKey(keyId, stage), nowSeconds + 90 * daySeconds, stage);

    await expect(purgeKeys(found, later)).rejects.toThrow('was changed by somebody else meanwhile');

    expect(await remaining()).toEqual([keyId]);
  });

  it('removes more keys than one transaction takes', async () => {
    for (let count = 0; count < 25; count++) await issue(nowSeconds);

    await purge(0, stage);

    expect(await remaining()).toEqual([]);
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

    const found = await findPurgeable(nowMs, stage, 'other');

    expect(found.map(({ keyId }) => keyId)).toEqual([other.keyId]);
  });
});
