import { randomBytes } from 'node:crypto';

/** An API key of API Gateway, which is not the bearer token. */
interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  /** The usage plan that contains the key. A key can be in only one usage plan of a stage. */
  usagePlanId?: string;
}

/** API Gateway's API keys and usage plans, which last as long as the run. */
export type ControlPlane = ReturnType<typeof createControlPlane>;

const dayMs = 86_400_000;

/** A call that API Gateway refuses. */
export class RefusedCallError extends Error {
  override readonly name: 'ConflictException' | 'NotFoundException';

  constructor(name: RefusedCallError['name'], message: string) {
    super(message);
    this.name = name;
  }
}

/** The operations that an operator needs. Deleting a key that does not exist is not an error. */
export function createControlPlane(now = Date.now) {
  const keys = new Map<string, ApiKey>();
  /** The metered requests, by plan, key and day. */
  const usage = new Map<string, number>();
  const findKey = (value?: string) => [...keys.values()].find((key) => key.value === value);

  return {
    keys: keys as ReadonlyMap<string, ApiKey>,

    createGatewayKey: async ({ name, value }: Pick<ApiKey, 'name' | 'value'>) => {
      if (findKey(value)) throw new RefusedCallError('ConflictException', 'API Key already exists');
      const key: ApiKey = { id: randomBytes(5).toString('hex'), name, value };
      keys.set(key.id, key);
      return key;
    },

    /** Finds the keys whose names start with the given text. */
    findGatewayKeys: async (nameQuery: string) =>
      [...keys.values()].filter(({ name }) => name.startsWith(nameQuery)),

    deleteGatewayKey: async (id: string) => {
      keys.delete(id);
    },

    addToUsagePlan: async (usagePlanId: string, keyId: string) => {
      const key = keys.get(keyId);
      if (!key) throw new RefusedCallError('NotFoundException', 'Invalid API Key identifier');
      if (key.usagePlanId) {
        throw new RefusedCallError('ConflictException', 'API Key is in a usage plan of the stage');
      }
      key.usagePlanId = usagePlanId;
    },

    /** The requests of each key on each day, such as `2026-11-20`, without the key's remaining quota. */
    getUsage: async (asked: { usagePlanId: string; startDate: string; endDate: string }) => {
      const days: string[] = [];
      for (let day = Date.parse(asked.startDate); day <= Date.parse(asked.endDate); day += dayMs) {
        days.push(dayOf(day));
      }
      const requests = (id: string) =>
        days.map((day) => [usage.get(`${asked.usagePlanId} ${id} ${day}`) ?? 0]);
      return Object.fromEntries([...keys.keys()].map((id) => [id, requests(id)]));
    },

    /** Counts a request for its key, and returns the key; undefined if the key is unknown or in no plan. */
    meter: (value: string | undefined) => {
      const key = findKey(value);
      if (!key?.usagePlanId) return undefined;
      const counter = `${key.usagePlanId} ${key.id} ${dayOf(now())}`;
      usage.set(counter, (usage.get(counter) ?? 0) + 1);
      return key;
    },
  };
}

/** The UTC day of a time, such as `2026-11-20`. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
