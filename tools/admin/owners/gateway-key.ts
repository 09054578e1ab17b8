import { stackTag } from '../../../lib/settings/names.ts';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { quoted, WrongStateError } from '../../shared/errors.ts';
import { isRefusedForAnother } from '../stage/call-limits.ts';
import type { KeyStage } from '../stage/key-stage.ts';

/**
 * Ensures that an owner has an API Gateway key, and that this key is in the usage plan of the owner's plan and in no
 * other, because API Gateway allows one usage plan for each key and stage. If another command moves or deletes the key
 * at the same time, the function starts again. It returns whether it has changed anything.
 *
 * @throws WrongStateError if there is no such plan
 */
export async function putGatewayKey(
  ownerId: string,
  plan: string,
  stage: KeyStage,
  attempts = 5,
): Promise<boolean> {
  if (!isPlanName(plan)) {
    throw new WrongStateError(`${ownerId} has the plan ${quoted(plan)}, which does not exist`, {
      remedy: `"./admin owners set-plan ${ownerId} free" moves this owner, to this plan or another`,
    });
  }
  const { gateway } = stage;
  const usagePlanId = stage.usagePlanId(plan);
  try {
    const keyId = (await existingKeyId(ownerId, stage)) ?? (await createKey(ownerId, stage));
    const current = await gateway.findUsagePlans({ keyId });
    const others = current.filter((each) => each !== usagePlanId);
    for (const other of others) await gateway.deleteUsagePlanKey({ usagePlanId: other, keyId });
    if (current.includes(usagePlanId)) return others.length > 0;
    await gateway.createUsagePlanKey({ usagePlanId, keyId });
  } catch (error) {
    // Another command has created, moved or deleted the key. The SDK has repeated a call that had to wait for another.
    const isConflict = /^(Conflict|NotFound)Exception$/.test(Object(error).name);
    if (!isConflict || isRefusedForAnother(error) || attempts === 1) throw error;
    await putGatewayKey(ownerId, plan, stage, attempts - 1);
  }
  return true;
}

/** Deletes an owner's API Gateway key, if there is one. */
export async function deleteGatewayKey(ownerId: string, stage: KeyStage): Promise<void> {
  const apiKey = await existingKeyId(ownerId, stage);
  if (apiKey) await stage.gateway.deleteApiKey({ apiKey });
}

/** Finds the API Gateway keys of a stage, or of one owner. Returns the owners by the ids of the keys. */
export async function findGatewayKeys(
  stage: KeyStage,
  ownerId = '',
): Promise<ReadonlyMap<string, string>> {
  const found = await stage.gateway.findApiKeys(gatewayKeyName(ownerId, stage));
  const start = gatewayKeyName('', stage).length;
  return new Map(found.map(({ id, name }) => [id, name.slice(start)]));
}

async function createKey(ownerId: string, stage: KeyStage): Promise<string> {
  const name = gatewayKeyName(ownerId, stage);
  const tags = { [stackTag]: stage.stackName };
  return (await stage.gateway.createApiKey({ name, value: ownerId, enabled: true, tags })).id;
}

async function existingKeyId(ownerId: string, stage: KeyStage): Promise<string | undefined> {
  return [...(await findGatewayKeys(stage, ownerId)).keys()][0];
}

function gatewayKeyName(ownerId: string, { stackName }: KeyStage): string {
  return `${stackName}-${ownerId}`;
}
