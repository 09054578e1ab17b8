import { randomBytes } from 'node:crypto';
import type { GatewayKey, UsagePlan, UsagePlanKeys } from '../gateway/usage-plan.ts';

/** An API key as API Gateway's control plane describes it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** The time in Unix seconds. */
  readonly createdDate: number;
  /** The time in Unix seconds. */
  readonly lastUpdatedDate: number;
}

interface NewApiKey {
  readonly name?: string;
  /** The value that identifies requests. @default - a random value */
  readonly value?: string;
  readonly description?: string;
  /** @default false, as in API Gateway */
  readonly enabled?: boolean;
}

export interface UsagePlanMember {
  readonly usagePlanId: string;
  readonly keyId: string;
}

/** The state of the control plane that is stored across restarts. */
export interface ControlPlaneState {
  readonly apiKeys: ApiKey[];
  readonly usagePlanKeys: UsagePlanMember[];
}

/** A call that API Gateway would refuse, with API Gateway's error type. */
export class ControlPlaneError extends Error {
  override name = 'ControlPlaneError';
  readonly type: 'BadRequestException' | 'ConflictException' | 'NotFoundException';

  constructor(type: ControlPlaneError['type'], message: string) {
    super(message);
    this.type = type;
  }
}

interface ControlPlaneOptions {
  readonly usagePlans: readonly UsagePlan[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly state?: ControlPlaneState;
  /** Called after every change. The change is undone if this throws. */
  readonly onChange?: (state: ControlPlaneState) => void;
}

const valueMinLength = 20;
const valueMaxLength = 128;

/**
 * API Gateway's API keys and their usage plans: the part of its control plane that issuing and
 * revoking keys needs.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_CreateApiKey.html
 */
export class ControlPlane implements UsagePlanKeys {
  readonly #usagePlans: readonly UsagePlan[];
  readonly #now: () => number;
  readonly #onChange: (state: ControlPlaneState) => void;
  readonly #byId = new Map<string, ApiKey>();
  readonly #byValue = new Map<string, ApiKey>();
  /** The ids of the keys in each plan. */
  readonly #members = new Map<string, Set<string>>();

  constructor({ usagePlans, now, state, onChange = () => {} }: ControlPlaneOptions) {
    this.#usagePlans = usagePlans;
    this.#now = now;
    this.#onChange = onChange;
    this.#restore(state ?? { apiKeys: [], usagePlanKeys: [] });
  }

  /** Creates an API key. @throws ControlPlaneError when its value is too short, too long or taken */
  createApiKey({ name = '', value, description, enabled = false }: NewApiKey): ApiKey {
    const keyValue = value ?? randomBytes(30).toString('base64url');
    if (keyValue.length < valueMinLength || keyValue.length > valueMaxLength) {
      throw new ControlPlaneError(
        'BadRequestException',
        `API Key value should be at least ${valueMinLength} and at most ${valueMaxLength} characters`,
      );
    }
    if (this.#byValue.has(keyValue)) {
      throw new ControlPlaneError('ConflictException', 'API Key already exists');
    }
    const createdDate = Math.floor(this.#now() / 1000);
    const id = createId();
    const dates = { createdDate, lastUpdatedDate: createdDate };
    const key: ApiKey = { id, name, value: keyValue, description, enabled, ...dates };
    this.#change(() => this.#add(key));
    return key;
  }

  /** The keys whose names start with a text; all keys without one. */
  getApiKeys({ nameQuery = '' } = {}): ApiKey[] {
    return [...this.#byId.values()].filter(({ name }) => name.startsWith(nameQuery));
  }

  /** Removes a key from its plans and deletes it. @throws ControlPlaneError when it does not exist */
  deleteApiKey(id: string): void {
    const key = this.#key(id);
    this.#change(() => {
      this.#byId.delete(id);
      this.#byValue.delete(key.value);
      for (const keyIds of this.#members.values()) keyIds.delete(id);
    });
  }

  /** The usage plans of a key; all usage plans without one. */
  getUsagePlans({ keyId }: { keyId?: string } = {}): readonly UsagePlan[] {
    if (keyId === undefined) return this.#usagePlans;
    return this.#usagePlans.filter(({ id }) => this.isInPlan(keyId, id));
  }

  /**
   * Adds a key to a usage plan.
   *
   * @throws ControlPlaneError when the key or the plan does not exist, or the key is already in this
   *   plan or in another plan of the same stage
   */
  createUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): ApiKey {
    const key = this.#key(keyId);
    const plan = this.#usagePlans.find((candidate) => candidate.id === usagePlanId);
    if (!plan) throw notFound('Usage Plan ID');
    if (this.isInPlan(keyId, usagePlanId)) {
      throw new ControlPlaneError('ConflictException', 'Usage Plan key already exists');
    }
    if (this.getUsagePlans({ keyId }).length > 0) {
      const message = `API Key ${keyId} cannot be added to a second usage plan of the same stage`;
      throw new ControlPlaneError('ConflictException', message);
    }
    this.#change(() => this.#members.get(usagePlanId)!.add(keyId));
    return key;
  }

  /** Removes a key from a usage plan. @throws ControlPlaneError when the key is not in the plan */
  deleteUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): void {
    this.getUsagePlanKey({ usagePlanId, keyId });
    this.#change(() => this.#members.get(usagePlanId)!.delete(keyId));
  }

  /** The key in a usage plan. @throws ControlPlaneError when the key is not in the plan */
  getUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): ApiKey {
    if (this.isInPlan(keyId, usagePlanId)) return this.#key(keyId);
    throw notFound('Usage Plan Key identifier');
  }

  findKey(value: string): GatewayKey | undefined {
    const key = this.#byValue.get(value);
    return key && { id: key.id, value: key.value, isEnabled: key.enabled };
  }

  isInPlan(keyId: string, planId: string): boolean {
    return this.#members.get(planId)?.has(keyId) ?? false;
  }

  #key(id: string): ApiKey {
    const key = this.#byId.get(id);
    if (key) return key;
    throw notFound('API Key identifier');
  }

  #add(key: ApiKey): void {
    this.#byId.set(key.id, key);
    this.#byValue.set(key.value, key);
  }

  /** Makes a change. Restores the previous state on an error, so that the call can be repeated. */
  #change(make: () => unknown): void {
    const before = this.#state();
    try {
      make();
      this.#onChange(this.#state());
    } catch (error) {
      this.#restore(before);
      throw error;
    }
  }

  #state(): ControlPlaneState {
    const usagePlanKeys = [...this.#members].flatMap(([usagePlanId, keyIds]) =>
      [...keyIds].map((keyId) => ({ usagePlanId, keyId })),
    );
    return { apiKeys: [...this.#byId.values()], usagePlanKeys };
  }

  #restore({ apiKeys, usagePlanKeys }: ControlPlaneState): void {
    this.#byId.clear();
    this.#byValue.clear();
    for (const { id } of this.#usagePlans) this.#members.set(id, new Set());
    for (const key of apiKeys) this.#add(key);
    for (const { usagePlanId, keyId } of usagePlanKeys) this.#members.get(usagePlanId)?.add(keyId);
  }
}

function notFound(what: string): ControlPlaneError {
  return new ControlPlaneError('NotFoundException', `Invalid ${what} specified`);
}

function createId(): string {
  return BigInt(`0x${randomBytes(10).toString('hex')}`)
    .toString(36)
    .slice(-10);
}
