import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOwnerPart, hashToken } from '../../lambdas/keys/api-key.ts';
import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { issueKey } from '../admin/keys/issue.ts';
import { revokeKey } from '../admin/keys/revoke.ts';
import { createOwner } from '../admin/owners/create.ts';
import type { KeyStage } from '../admin/stage/key-stage.ts';
import { findKey, keysOf } from '../admin/store/keys.ts';
import { findOwnerOfHash, lookUpOwner } from '../admin/store/owners.ts';

export type DemoKeys = Record<PlanName, string>;

const label = 'npm start';

/**
 * Creates an owner with one key for each plan. A data directory stores the tokens, so that later runs have the same
 * keys. No other tokens are ever stored, and these tokens are valid only for the data in the directory. If a token is
 * not stored, or no longer valid, a new key replaces the owner's earlier keys, because an owner can have only so many
 * keys.
 */
export async function provideDemoKeys(
  stage: KeyStage,
  directory: string | undefined,
): Promise<DemoKeys> {
  const file = directory && join(directory, 'demo-keys.json');
  const stored: Partial<DemoKeys> =
    file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const keys = await Promise.all(
    planNames.map(async (plan) => {
      const token = stored[plan];
      const isKept = token !== undefined && (await isValid(token, stage));
      return [plan, isKept ? token : await createKey(plan, stage)];
    }),
  );
  const demoKeys: DemoKeys = Object.fromEntries(keys);
  if (file) {
    // If the process is killed before the renaming, the old file stays as it is.
    writeFileSync(`${file}.new`, JSON.stringify(demoKeys), { flush: true });
    renameSync(`${file}.new`, file);
  }
  return demoKeys;
}

/** Whether a key still works for good. A rotated key has an expiry, so it does not. */
async function isValid(token: string, stage: KeyStage): Promise<boolean> {
  const owner = await findOwnerOfHash(hashOwnerPart(token), stage);
  const entry = owner?.item.keys[hashToken(token)];
  return entry !== undefined && entry.expiresAt === undefined;
}

async function createKey(plan: PlanName, stage: KeyStage): Promise<string> {
  const { perMinute, perDay, limitsPerOwner } = plans[plan];
  const name = `demo ${plan}`;
  const owner = await lookUpOwner(name, stage);
  if (!owner) {
    await createOwner({ name, plan, ...(limitsPerOwner && { perMinute, perDay }) }, stage);
  }
  const earlier = owner ? keysOf(owner).filter(({ details }) => details.label === label) : [];
  for (const { keyId } of earlier) await revokeKey(await findKey(keyId, stage), stage);
  return (await issueKey({ owner: name, label }, stage)).apiKey;
}
