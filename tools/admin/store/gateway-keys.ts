import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { stackTag } from '../../../lib/settings/names.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { ChangedMeanwhileError } from '../../shared/errors.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { isRefusedForAnother } from '../stage/service-failure.ts';

/**
 * Ensures that an owner has an API Gateway key for a plan, and that this key is in the plan's usage plan. An owner needs
 * the key before its first API key, and before it moves to the plan. So an interrupted command refuses no request. Only
 * the deletion of the owner removes the key.
 *
 * @param knownId the id of the gateway key in API Gateway. @default - the key is created, or looked up if it exists
 * @returns whether anything was added. API Gateway knows a new key only some seconds later
 */
export async function ensureGatewayKey(
  ownerId: string,
  plan: PlanName,
  stage: KeyStage,
  knownId?: string,
): Promise<boolean> {
  const usagePlanId = stage.usagePlanId(plan);
  const { keyId, isNew } = knownId
    ? { keyId: knownId, isNew: false }
    : await createOrFind(gatewayKeyValue(ownerId, plan), stage);
  try {
    await stage.gateway.addToUsagePlan(usagePlanId, keyId);
    return true;
  } catch (error) {
    if (isAlreadyThere(error)) return isNew;
    // Another command has deleted the owner and its key at the same time.
    if (Object(error).name === 'NotFoundException') throw new ChangedMeanwhileError(ownerId);
    throw error;
  }
}

/** Deletes the API Gateway keys of an owner. Returns their number. */
export async function deleteGatewayKeys(ownerId: string, stage: KeyStage): Promise<number> {
  const keys = await findGatewayKeys(stage, ownerId);
  for (const { id } of keys) await stage.gateway.deleteGatewayKey(id);
  return keys.length;
}

/** Finds the API Gateway keys of a stage, or of one owner. `id` is the id in API Gateway. */
export async function findGatewayKeys(stage: KeyStage, ownerId = '') {
  const start = gatewayKeyName(ownerId && gatewayKeyValue(ownerId, ''), stage);
  const found = await stage.gateway.findGatewayKeys(start);
  return found.map(({ id, name }) => {
    const value = name.slice(gatewayKeyName('', stage).length);
    return { id, value, ownerId: ownerOfGatewayKey(value) };
  });
}

/** The owner's id in the value of an API Gateway key. */
export function ownerOfGatewayKey(value: string): string {
  return /^own_[^_]*/.exec(value)?.[0] ?? '';
}

async function createOrFind(
  value: string,
  stage: KeyStage,
): Promise<{ keyId: string; isNew: boolean }> {
  const tags = { [stackTag]: stage.stackName };
  const name = gatewayKeyName(value, stage);
  try {
    const { id } = await stage.gateway.createGatewayKey({ name, value, tags });
    return { keyId: id, isNew: true };
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
    const found = await stage.gateway.findGatewayKeys(name);
    // Names are found by their start, so the name of a longer plan may be found, too.
    const key = found.find((each) => each.name === name);
    // Another command has deleted the owner and its keys at the same time.
    if (!key) throw new ChangedMeanwhileError(ownerOfGatewayKey(value));
    return { keyId: key.id, isNew: false };
  }
}

/** The name of the gateway key with a value. */
function gatewayKeyName(value: string, { stackName }: KeyStage): string {
  return `${stackName}-${value}`;
}

/**
 * Whether API Gateway has refused to add something that is already there. The message is checked, because API Gateway
 * refuses two changes at the same time with the same error.
 */
function isAlreadyThere(error: unknown): boolean {
  return Object(error).name === 'ConflictException' && !isRefusedForAnother(error);
}
