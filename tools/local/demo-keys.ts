import { hashOwnerPart, hashToken } from '../../lambdas/keys/api-key.ts';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { revokeKey } from '../admin/keys/change-key.ts';
import { issueKey } from '../admin/keys/issue-key.ts';
import { createOwner } from '../admin/owners/create-owner.ts';
import type { KeyStage } from '../admin/stage/key-stage.ts';
import { findOwnerOfHash, lookUpOwner } from '../admin/stored/find-owner.ts';
import { keysOf } from '../admin/stored/stored-key.ts';
import type { DataDirectory } from './aws/data-directory.ts';

export type DemoKeys = Record<PlanName, string>;

const label = 'npm start';
const file = 'demo-keys.json';
const number = new Intl.NumberFormat('en');

/** Such as `free: 60 per minute, 1,000 per day`. */
export function planTitle(plan: PlanName): string {
  const { perMinute, perDay } = plans[plan];
  return `${plan}: ${number.format(perMinute)} per minute, ${number.format(perDay)} per day`;
}

/**
 * Creates an owner with one key for each plan. A data directory stores the tokens, so that later runs have the same
 * keys. No other tokens are ever stored, and these tokens are valid only for the data in the directory. If a token is not
 * stored, or no longer valid, a new key replaces the keys of earlier runs, which would soon reach an owner's maximum.
 */
export async function provideDemoKeys(
  stage: KeyStage,
  directory: DataDirectory | undefined,
): Promise<DemoKeys> {
  const stored = directory?.read<Partial<DemoKeys>>(file);
  const keys = await Promise.all(
    planNames.map(async (plan) => {
      const token = stored?.[plan];
      const isKept = token !== undefined && (await isValid(token, stage));
      return [plan, isKept ? token : await createKey(plan, stage)];
    }),
  );
  const demoKeys: DemoKeys = Object.fromEntries(keys);
  directory?.write(file, demoKeys);
  return demoKeys;
}

/** Whether a key was neither revoked nor rotated, which gives it an expiry. */
async function isValid(token: string, stage: KeyStage): Promise<boolean> {
  const owner = await findOwnerOfHash(hashOwnerPart(token), stage);
  const entry = owner?.item?.keys[hashToken(token)];
  return entry !== undefined && entry.expiresAt === undefined;
}

async function createKey(plan: PlanName, stage: KeyStage): Promise<string> {
  const { perMinute, perDay, limitsPerOwner } = plans[plan];
  const name = `demo ${plan}`;
  const owner = await lookUpOwner(name, stage);
  if (!owner?.item) {
    await createOwner({ name, plan, ...(limitsPerOwner && { perMinute, perDay }) }, stage);
  }
  const earlier = owner ? keysOf(owner).filter(({ details }) => details?.label === label) : [];
  for (const { keyId } of earlier) await revokeKey(keyId, stage);
  return (await issueKey({ owner: name, label }, stage)).apiKey;
}
