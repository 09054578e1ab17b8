import type { KeyGateway } from '../stage/api-gateway-keys.ts';

type Call = keyof KeyGateway;

/** API Gateway's keys in memory; any call can be made to fail. */
export interface FakeGateway extends KeyGateway {
  readonly keys: Map<string, { name: string; value: string; usagePlanIds: Set<string> }>;
  /** The metered usage by usage plan, for whatever days. */
  readonly usage: Map<string, Record<string, number[][]>>;
  /** The calls that change something, in their order. */
  readonly changes: string[];
  /** Lets one call fail, once or from now on. */
  fail(call: Call, times?: number): void;
  reset(): void;
}

export function fakeGateway(): FakeGateway {
  const keys: FakeGateway['keys'] = new Map();
  const usage: FakeGateway['usage'] = new Map();
  const changes: string[] = [];
  const failures = new Map<Call, number>();
  let created = 0;
  const failWhenAsked = (call: Call) => {
    const times = failures.get(call) ?? 0;
    if (times === 0) return;
    failures.set(call, times - 1);
    throw new Error(`${call}: Too Many Requests`);
  };
  const change = (call: Call) => {
    failWhenAsked(call);
    changes.push(call);
  };
  return {
    keys,
    usage,
    changes,
    fail: (call, times = Number.POSITIVE_INFINITY) => void failures.set(call, times),
    reset: () => {
      keys.clear();
      usage.clear();
      failures.clear();
      changes.length = 0;
    },
    createApiKey: async ({ name, value }) => {
      change('createApiKey');
      if ([...keys.values()].some((key) => key.value === value)) {
        throw Object.assign(new Error('API Key already exists'), { name: 'ConflictException' });
      }
      const id = `gateway${++created}`;
      keys.set(id, { name, value, usagePlanIds: new Set() });
      return { id };
    },
    findApiKeys: async (namePrefix) => {
      failWhenAsked('findApiKeys');
      return [...keys]
        .filter(([, { name }]) => name.startsWith(namePrefix))
        .map(([id, { name }]) => ({ id, name }));
    },
    deleteApiKey: async ({ apiKey }) => {
      change('deleteApiKey');
      keys.delete(apiKey);
    },
    createUsagePlanKey: async ({ keyId, usagePlanId }) => {
      change('createUsagePlanKey');
      keys.get(keyId)!.usagePlanIds.add(usagePlanId);
    },
    deleteUsagePlanKey: async ({ keyId, usagePlanId }) => {
      change('deleteUsagePlanKey');
      keys.get(keyId)!.usagePlanIds.delete(usagePlanId);
    },
    getUsage: async ({ usagePlanId }) => usage.get(usagePlanId) ?? {},
    findUsagePlans: async ({ keyId }) => [...keys.get(keyId)!.usagePlanIds],
  };
}
