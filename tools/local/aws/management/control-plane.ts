import { randomBytes } from 'node:crypto';
import { GatewayFault } from '../api-gateway/gateway-fault.ts';

/** An API key of API Gateway, which is not the bearer token. */
interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly enabled: boolean;
  /** The usage plan that contains the key. A key can be in only one usage plan of a stage. */
  usagePlanId?: string;
}

/** A key in a usage plan. */
export interface UsagePlanMember {
  readonly usagePlanId: string;
  readonly keyId: string;
}

/** The days for which a plan's usage is read. */
export interface UsageInterval {
  readonly usagePlanId: string;
  /** Such as `2026-11-20`. */
  readonly startDate: string;
  readonly endDate: string;
}

const dayMs = 86_400_000;

/** A call that API Gateway would refuse. The name is API Gateway's error type, as in errors of the SDK. */
export class ControlPlaneError extends Error {
  override readonly name: 'ConflictException' | 'NotFoundException';

  constructor(name: ControlPlaneError['name'], message: string) {
    super(message);
    this.name = name;
  }
}

/** API Gateway's API keys and usage plans, which last as long as the run. */
export class ControlPlane {
  readonly #usagePlanIds: readonly string[];
  readonly #now: () => number;
  /** The keys by their ids. */
  readonly #apiKeys = new Map<string, ApiKey>();
  /** The metered requests, by the names of their counters. */
  readonly #usage = new Map<string, number>();

  constructor(usagePlanIds: readonly string[], now = Date.now) {
    this.#usagePlanIds = usagePlanIds;
    this.#now = now;
  }

  /** @throws ControlPlaneError if another key has the value */
  createApiKey({ name, value, enabled }: Omit<ApiKey, 'id'>): ApiKey {
    if (this.findKey(value)) throw conflict('API Key already exists');
    const key: ApiKey = { id: randomBytes(5).toString('hex'), name, value, enabled };
    this.#apiKeys.set(key.id, key);
    return key;
  }

  /** The keys whose names start with a text. Without a text, all keys. */
  getApiKeys({ nameQuery = '' } = {}): ApiKey[] {
    return [...this.#apiKeys.values()].filter(({ name }) => name.startsWith(nameQuery));
  }

  /** @throws ControlPlaneError if the key does not exist */
  deleteApiKey(id: string): void {
    if (!this.#apiKeys.delete(id)) throw notFound('API Key identifier');
  }

  /** The ids of the usage plans that contain a key. Without a key, the ids of all usage plans. */
  getUsagePlans({ keyId }: { keyId?: string | undefined } = {}): readonly string[] {
    if (keyId === undefined) return this.#usagePlanIds;
    return this.#usagePlanIds.filter((id) => this.isInPlan(keyId, id));
  }

  /** @throws ControlPlaneError if the key or the plan does not exist, or if the key is already in a plan */
  createUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): void {
    const key = this.#apiKeys.get(keyId);
    if (!key) throw notFound('API Key identifier');
    if (!this.#usagePlanIds.includes(usagePlanId)) throw notFound('Usage Plan ID');
    if (key.usagePlanId !== undefined)
      throw conflict(`API Key ${keyId} is in a usage plan already`);
    key.usagePlanId = usagePlanId;
  }

  /** @throws ControlPlaneError if the key is not in the plan */
  deleteUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): void {
    if (!this.isInPlan(keyId, usagePlanId)) throw notFound('Usage Plan Key identifier');
    delete this.#apiKeys.get(keyId)!.usagePlanId;
  }

  /**
   * The requests of each key on each day, without the key's remaining quota. Keys without requests are left out.
   *
   * @throws ControlPlaneError if the plan does not exist
   */
  getUsage({ usagePlanId, startDate, endDate }: UsageInterval): Record<string, number[][]> {
    if (!this.#usagePlanIds.includes(usagePlanId)) throw notFound('Usage Plan ID');
    const [first, last] = [startDate, endDate].map((date) => Date.parse(`${date}T00:00:00Z`));
    const days = Array.from({ length: (last! - first!) / dayMs + 1 }, (_, index) =>
      new Date(first! + index * dayMs).toISOString().slice(0, 10),
    );
    const usage = [...this.#apiKeys.keys()].map((id) => {
      const used = days.map((day) => this.#usage.get(counterName(usagePlanId, id, day)) ?? 0);
      return [id, used.map((requests) => [requests])] as const;
    });
    return Object.fromEntries(usage.filter(([, each]) => each.some(([requests]) => requests! > 0)));
  }

  /**
   * Counts a request for its key, and returns the key.
   *
   * @throws GatewayFault `INVALID_API_KEY` if the key is unknown, disabled or in no plan
   */
  meter(value: string | undefined): ApiKey {
    const key = value === undefined ? undefined : this.findKey(value);
    if (!key?.enabled || !key.usagePlanId) throw new GatewayFault('INVALID_API_KEY');
    const name = counterName(
      key.usagePlanId,
      key.id,
      new Date(this.#now()).toISOString().slice(0, 10),
    );
    this.#usage.set(name, (this.#usage.get(name) ?? 0) + 1);
    return key;
  }

  findKey(value: string): ApiKey | undefined {
    return this.getApiKeys().find((key) => key.value === value);
  }

  isInPlan(keyId: string, planId: string): boolean {
    return this.#apiKeys.get(keyId)?.usagePlanId === planId;
  }
}

function counterName(planId: string, keyId: string, day: string): string {
  return `${planId} ${keyId} ${day}`;
}

function conflict(message: string): ControlPlaneError {
  return new ControlPlaneError('ConflictException', message);
}

function notFound(what: string): ControlPlaneError {
  return new ControlPlaneError('NotFoundException', `Invalid ${what} specified`);
}
