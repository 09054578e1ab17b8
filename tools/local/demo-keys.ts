import { hashOwnerPart, hashToken } from '../../lambdas/domain/api-key.ts';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { revokeKey } from '../admin/keys/change-key.ts';
import { issueKey } from '../admin/keys/issue-key.ts';
import { createOwner } from '../admin/owners/create-owner.ts';
import type { KeyStage } from '../admin/stage/key-stage.ts';
import { findOwnerOfHash, lookUpOwner } from '../admin/stored/find-owner.ts';
import { keysOf } from '../admin/stored/stored-key.ts';
import type { StoredOwner } from '../admin/stored/stored-owner.ts';
import type { DataDirectory } from './aws/data-directory.ts';

export type DemoKeys = Record<PlanName, string>;

const label = 'npm start';
const file = 'demo-keys.json';
const remedy = 'remove it; the next start creates new demo keys';

/**
 * Creates an owner with one key for each plan. A data directory stores the tokens, so that later runs have the same
 * keys. No other tokens are ever stored, and these tokens are valid only for the data in the directory. If there are no
 * stored tokens, the new keys replace the keys of earlier runs, which would soon reach an owner's maximum.
 */
export async function provideDemoKeys(
  stage: KeyStage,
  directory: DataDirectory | undefined,
): Promise<DemoKeys> {
  const stored = directory?.read<Partial<DemoKeys>>(file, remedy);
  const keys = await Promise.all(
    planNames.map(async (plan) => {
      const token = stored?.[plan];
      if (token && (await isKept(token, stage))) return [plan, token];
      const owner = await provideOwner(plan, stage);
      const earlier = token ? [] : keysOf(owner).filter(({ details }) => details?.label === label);
      for (const { keyId } of earlier) await revokeKey(keyId, stage);
      return [plan, (await issueKey({ owner: owner.details.ownerId, label }, stage)).apiKey];
    }),
  );
  const demoKeys: DemoKeys = Object.fromEntries(keys);
  directory?.write(file, demoKeys);
  return demoKeys;
}

async function provideOwner(plan: PlanName, stage: KeyStage): Promise<StoredOwner> {
  const { perMinute, perDay, limitsPerOwner } = plans[plan];
  const name = `demo ${plan}`;
  const owner = await lookUpOwner(name, stage);
  // Kept as it is, because an owner of an earlier run may have been moved to another plan.
  if (owner?.item) return owner;
  return createOwner({ name, plan, ...(limitsPerOwner && { perMinute, perDay }) }, stage);
}

/** Whether a demo key was neither revoked nor rotated, which gives it an expiry. */
async function isKept(token: string, stage: KeyStage): Promise<boolean> {
  const owner = await findOwnerOfHash(hashOwnerPart(token), stage);
  const entry = owner?.item?.keys[hashToken(token)];
  return entry !== undefined && entry.expiresAt === undefined;
}
