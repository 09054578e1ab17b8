import type { ControlPlane, UsageInterval, UsagePlanMember } from './control-plane.ts';

/** The control plane for a program that repeats calls. It is no error if a key already exists or is already deleted. */
export function keyGateway(controlPlane: ControlPlane) {
  const has = ({ keyId, usagePlanId }: UsagePlanMember) =>
    controlPlane.isInPlan(keyId, usagePlanId);
  return {
    createApiKey: async (key: { name: string; value: string; enabled: boolean }) =>
      controlPlane.createApiKey(key),
    findApiKeys: async (nameQuery: string) => controlPlane.getApiKeys({ nameQuery }),
    deleteApiKey: async ({ apiKey }: { apiKey: string }) => {
      if (controlPlane.getApiKeys().some(({ id }) => id === apiKey)) {
        controlPlane.deleteApiKey(apiKey);
      }
    },
    createUsagePlanKey: async (member: UsagePlanMember) => {
      if (!has(member)) controlPlane.createUsagePlanKey(member);
    },
    deleteUsagePlanKey: async (member: UsagePlanMember) => {
      if (has(member)) controlPlane.deleteUsagePlanKey(member);
    },
    findUsagePlans: async (key: { keyId: string }) => [...controlPlane.getUsagePlans(key)],
    getUsage: async (asked: UsageInterval) => controlPlane.getUsage(asked),
  };
}
