import type { KeyGateway } from '../stage/api-gateway-keys.ts';

/** API Gateway's keys in memory. */
export interface FakeGateway extends KeyGateway {
  readonly keys: Map<string, { name: string; value: string; usagePlanIds: Set<string> }>;
}

const missing = (): never => {
  throw Object.assign(new Error('Invalid API Key identifier specified'), {
    name: 'NotFoundException',
  });
};

const conflict = (message: string) =>
  Object.assign(new Error(message), { name: 'ConflictException' });

export function fakeGateway(): FakeGateway {
  const keys: FakeGateway['keys'] = new Map();
  let created = 0;
  return {
    keys,
    createApiKey: async ({ name, value }) => {
      if ([...keys.values()].some((key) => key.value === value)) {
        throw conflict('API Key already exists');
      }
      const id = `gateway${++created}`;
      keys.set(id, { name, value, usagePlanIds: new Set() });
      return { id };
    },
    findApiKeys: async (namePrefix) => {
      return [...keys]
        .filter(([, { name }]) => name.startsWith(namePrefix))
        .map(([id, { name }]) => ({ id, name }));
    },
    deleteApiKey: async ({ apiKey }) => {
      keys.delete(apiKey);
    },
    createUsagePlanKey: async ({ keyId, usagePlanId }) => {
      const { usagePlanIds } = keys.get(keyId) ?? missing();
      if ([...usagePlanIds].some((each) => each !== usagePlanId)) {
        throw conflict('The key is in another usage plan of the stage');
      }
      usagePlanIds.add(usagePlanId);
    },
    deleteUsagePlanKey: async ({ keyId, usagePlanId }) => {
      keys.get(keyId)?.usagePlanIds.delete(usagePlanId);
    },
    getUsage: async () => ({}),
    findUsagePlans: async ({ keyId }) => [...(keys.get(keyId)?.usagePlanIds ?? [])],
  };
}
