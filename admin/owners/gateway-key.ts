import { stackTag } from '../../lib/settings/names.ts';
import type { PlanName } from '../../lib/settings/plans.ts';
import { isOwnerId } from '../../shared/api-key-token.ts';
import type { KeyStore } from '../stage/key-store.ts';

/**
 * Sees to it that an owner has its API Gateway key, whose value is the owner's id, and that this key
 * is in the plan's usage plan and in no other. Succeeds also when all that is so already.
 *
 * API Gateway lets a key be in one usage plan of a stage only, so it leaves the old one first.
 */
export async function putGatewayKey(
  ownerId: string,
  plan: PlanName,
  store: KeyStore,
): Promise<void> {
  const { gateway } = store;
  const usagePlanId = store.usagePlanIds[plan];
  const keyId = await gatewayKeyId(ownerId, store);
  const present = await gateway.findUsagePlans({ keyId });
  for (const other of present.filter((each) => each !== usagePlanId)) {
    await gateway.deleteUsagePlanKey({ usagePlanId: other, keyId });
  }
  if (!present.includes(usagePlanId)) await gateway.createUsagePlanKey({ usagePlanId, keyId });
}

/** The API Gateway keys of a stage's owners. */
export async function findGatewayKeys(store: KeyStore): Promise<string[]> {
  const prefix = gatewayKeyName('', store);
  const found = await store.gateway.findApiKeys(prefix);
  // Another stack's name may begin with this one's.
  return found.filter(({ name }) => isOwnerId(name.slice(prefix.length))).map(({ id }) => id);
}

async function gatewayKeyId(ownerId: string, store: KeyStore): Promise<string> {
  const existing = await existingKeyId(ownerId, store);
  if (existing) return existing;
  const name = gatewayKeyName(ownerId, store);
  try {
    const tags = { [stackTag]: store.stackName };
    return (await store.gateway.createApiKey({ name, value: ownerId, enabled: true, tags })).id;
  } catch (error) {
    // Somebody else was quicker, or an answer was lost and the call repeated: values are unique.
    const created = await existingKeyId(ownerId, store).catch(() => undefined);
    if (created) return created;
    throw error;
  }
}

async function existingKeyId(ownerId: string, store: KeyStore): Promise<string | undefined> {
  const name = gatewayKeyName(ownerId, store);
  const found = await store.gateway.findApiKeys(name);
  return found.find((key) => key.name === name)?.id;
}

function gatewayKeyName(ownerId: string, { stackName }: KeyStore): string {
  return `${stackName}-${ownerId}`;
}
