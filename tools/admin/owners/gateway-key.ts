import { stackTag } from '../../../lib/settings/names.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import type { KeyStore } from '../stage/key-store.ts';

/**
 * Ensures that an owner has an API Gateway key, whose value is the owner's id, and that this key is only in
 * the plan's usage plan.
 *
 * It first removes the key from the old usage plan: API Gateway allows one usage plan per key and stage.
 *
 * @returns whether it has changed anything
 */
export async function putGatewayKey(
  ownerId: string,
  plan: PlanName,
  store: KeyStore,
): Promise<boolean> {
  const { gateway } = store;
  const usagePlanId = store.usagePlanIds[plan];
  const keyId = await gatewayKeyId(ownerId, store);
  const current = await gateway.findUsagePlans({ keyId });
  const others = current.filter((each) => each !== usagePlanId);
  for (const other of others) await gateway.deleteUsagePlanKey({ usagePlanId: other, keyId });
  const isMissing = !current.includes(usagePlanId);
  if (isMissing) await gateway.createUsagePlanKey({ usagePlanId, keyId });
  return isMissing || others.length > 0;
}

/** Deletes an owner's API Gateway key, if there is one. */
export async function deleteGatewayKey(ownerId: string, store: KeyStore): Promise<void> {
  const apiKey = await existingKeyId(ownerId, store);
  if (apiKey) await store.gateway.deleteApiKey({ apiKey });
}

/**
 * Finds the API Gateway keys of all owners of a stage, or of one.
 *
 * @returns the owners' ids, by the ids of their keys
 */
export async function findGatewayKeys(
  store: KeyStore,
  ownerId = '',
): Promise<ReadonlyMap<string, string>> {
  const found = await store.gateway.findApiKeys(gatewayKeyName(ownerId, store));
  const start = gatewayKeyName('', store).length;
  return new Map(found.map(({ id, name }) => [id, name.slice(start)]));
}

async function gatewayKeyId(ownerId: string, store: KeyStore): Promise<string> {
  const existing = await existingKeyId(ownerId, store);
  if (existing) return existing;
  const name = gatewayKeyName(ownerId, store);
  try {
    const tags = { [stackTag]: store.stackName };
    return (await store.gateway.createApiKey({ name, value: ownerId, enabled: true, tags })).id;
  } catch (error) {
    if (Object(error).name !== 'ConflictException') throw error;
    // Values are unique. Another command may have created the key.
    const created = await existingKeyId(ownerId, store);
    if (created) return created;
    throw new WrongStateError(
      `API Gateway has a key with the value ${ownerId} whose name is not ${name}`,
      { remedy: 'rename or delete it in the console of API Gateway, and run the command again' },
    );
  }
}

async function existingKeyId(ownerId: string, store: KeyStore): Promise<string | undefined> {
  return [...(await findGatewayKeys(store, ownerId)).keys()][0];
}

function gatewayKeyName(ownerId: string, { stackName }: KeyStore): string {
  return `${stackName}-${ownerId}`;
}
