import { issueKey } from '../admin/keys/issue-key.ts';
import { whoisKey } from '../admin/keys/whois-key.ts';
import type { KeyGateway } from '../admin/stage/key-gateway.ts';
import type { KeyStore } from '../admin/stage/key-store.ts';
import { type PlanName, planNames, plans } from '../lib/settings/plans.ts';
import type { ControlPlane } from '../local/control-plane/control-plane.ts';
import type { DataDirectory } from '../local/state/data-directory.ts';
import { OperatorError } from '../shared/errors.ts';

export type DemoKeys = Record<PlanName, string>;

const file = 'demo-keys.json';

/**
 * One owner per plan, with one key, to try the service with. With a data directory they stay the same from run to
 * run: it is the only place that ever holds a token, and they are good for nothing but that data.
 */
export async function provideDemoKeys(
  store: KeyStore,
  directory: DataDirectory | undefined,
): Promise<DemoKeys> {
  const kept = directory?.read<DemoKeys>(file);
  const keys = await Promise.all(
    planNames.map(async (plan) => {
      const token = kept?.[plan];
      return [plan, token && (await isStored(token, store)) ? token : await issue(plan, store)];
    }),
  );
  const demoKeys: DemoKeys = Object.fromEntries(keys);
  directory?.write(file, demoKeys);
  return demoKeys;
}

async function issue(plan: PlanName, store: KeyStore): Promise<string> {
  const { perMinute, perDay, limitsPerOwner } = plans[plan];
  const limits = limitsPerOwner ? { perMinute, perDay } : {};
  const { apiKey } = await issueKey({ plan, owner: `demo ${plan}`, ...limits }, store);
  return apiKey;
}

async function isStored(token: string, store: KeyStore): Promise<boolean> {
  try {
    return (await whoisKey(token, store)).entry !== undefined;
  } catch (error) {
    if (error instanceof OperatorError) return false;
    throw error;
  }
}

/** The local run's control plane as the operator's commands know API Gateway's. */
export function keyGateway(controlPlane: ControlPlane): KeyGateway {
  const has = (member: { usagePlanId: string; keyId: string }) =>
    controlPlane.isInPlan(member.keyId, member.usagePlanId);
  return {
    createApiKey: async (key) => controlPlane.createApiKey(key),
    findApiKeys: async (namePrefix) =>
      controlPlane.getApiKeys({ nameQuery: namePrefix }).map(({ id, name }) => ({ id, name })),
    deleteApiKey: async ({ apiKey }) => {
      if (controlPlane.getApiKeys().some(({ id }) => id === apiKey)) {
        controlPlane.deleteApiKey(apiKey);
      }
    },
    createUsagePlanKey: async (member) => {
      if (!has(member)) controlPlane.createUsagePlanKey(member);
    },
    deleteUsagePlanKey: async (member) => {
      if (has(member)) controlPlane.deleteUsagePlanKey(member);
    },
    findUsagePlans: async (key) => controlPlane.getUsagePlans(key).map(({ id }) => id),
  };
}
