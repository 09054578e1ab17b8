import { randomBytes } from 'node:crypto';
import type { GatewayKey, UsagePlan, UsagePlanKeys } from '../gateway/usage-plan.ts';

/** An API key as API Gateway's control plane describes it. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly description?: string;
  readonly enabled: boolean;
  /** Unix seconds. */
  readonly createdDate: number;
  /** Unix seconds. */
  readonly lastUpdatedDate: number;
}

export interface NewApiKey {
  readonly name?: string;
  /** What requests are recognised by; made up when absent. */
  readonly value?: string;
  readonly description?: string;
  /** @default false, as in API Gateway */
  readonly enabled?: boolean;
}

export interface UsagePlanMember {
  readonly usagePlanId: string;
  readonly keyId: string;
}

/** What the control plane keeps across restarts. */
export interface ControlPlaneState {
  readonly apiKeys: ApiKey[];
  readonly usagePlanKeys: UsagePlanMember[];
}

/** A call that API Gateway would refuse, with its HTTP status. */
export class ControlPlaneError extends Error {
  override name = 'ControlPlaneError';
  readonly type: 'BadRequestException' | 'ConflictException' | 'NotFoundException';

  constructor(type: ControlPlaneError['type'], message: string) {
    super(message);
    this.type = type;
  }
}

export interface ControlPlaneOptions {
  readonly usagePlans: readonly UsagePlan[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly state?: ControlPlaneState;
  /** Told of every change, which is taken back when this throws. */
  readonly onChange?: (state: ControlPlaneState) => void;
}

const valueMinLength = 20;
const valueMaxLength = 128;

/**
 * API Gateway's keys and the usage plans they are in: the part of its control plane that issuing
 * and revoking keys needs.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_CreateApiKey.html
 */
export class ControlPlane implements UsagePlanKeys {
  #usagePlans: readonly UsagePlan[];
  readonly #now: () => number;
  readonly #onChange: (state: ControlPlaneState) => void;
  readonly #byId = new Map<string, ApiKey>();
  readonly #byValue = new Map<string, ApiKey>();
  /** Ids of the keys in each plan. */
  readonly #members = new Map<string, Set<string>>();

  constructor({ usagePlans, now, state, onChange = () => {} }: ControlPlaneOptions) {
    this.#usagePlans = usagePlans;
    this.#now = now;
    this.#onChange = onChange;
    this.#restore(state ?? { apiKeys: [], usagePlanKeys: [] });
  }

  /** Takes the plans of another template; a plan that stays keeps its keys. */
  replaceUsagePlans(usagePlans: readonly UsagePlan[]): void {
    this.#usagePlans = usagePlans;
    for (const { id } of usagePlans) {
      if (!this.#members.has(id)) this.#members.set(id, new Set());
    }
  }

  /** @throws ControlPlaneError when the value is too short, too long or taken */
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

  /** All keys, or those whose names start with a text. */
  getApiKeys({ nameQuery = '' } = {}): ApiKey[] {
    return [...this.#byId.values()].filter(({ name }) => name.startsWith(nameQuery));
  }

  /** @throws ControlPlaneError when there is no such key */
  deleteApiKey(id: string): void {
    const key = this.#key(id);
    this.#change(() => {
      this.#byId.delete(id);
      this.#byValue.delete(key.value);
      for (const keyIds of this.#members.values()) keyIds.delete(id);
    });
  }

  /** All usage plans, or those that a key is in. */
  getUsagePlans({ keyId }: { keyId?: string } = {}): readonly UsagePlan[] {
    if (keyId === undefined) return this.#usagePlans;
    return this.#usagePlans.filter(({ id }) => this.isInPlan(keyId, id));
  }

  /**
   * Puts a key into a usage plan.
   *
   * @throws ControlPlaneError when there is no such key or plan, or the key is in this plan or in
   *   another one of the same stage
   */
  createUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): ApiKey {
    const key = this.#key(keyId);
    const plan = this.#usagePlans.find((candidate) => candidate.id === usagePlanId);
    if (!plan) throw notFound('Usage Plan ID');
    if (this.isInPlan(keyId, usagePlanId)) {
      throw new ControlPlaneError('ConflictException', 'Usage Plan key already exists');
    }
    const sharesStage = this.getUsagePlans({ keyId }).some((other) => haveCommonStage(other, plan));
    if (sharesStage) {
      const message = `API Key ${keyId} cannot be added to a second usage plan of the same stage`;
      throw new ControlPlaneError('ConflictException', message);
    }
    this.#change(() => this.#members.get(usagePlanId)!.add(keyId));
    return key;
  }

  /** @throws ControlPlaneError when the key is not in the plan */
  deleteUsagePlanKey({ usagePlanId, keyId }: UsagePlanMember): void {
    this.getUsagePlanKey({ usagePlanId, keyId });
    this.#change(() => this.#members.get(usagePlanId)!.delete(keyId));
  }

  /** @throws ControlPlaneError when the key is not in the plan */
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

  /** A caller that is told of a failure finds everything as it was, and can call again. */
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

function haveCommonStage(one: UsagePlan, other: UsagePlan): boolean {
  return one.stages.some(({ apiId, stage }) =>
    other.stages.some((item) => item.apiId === apiId && item.stage === stage),
  );
}

function createId(): string {
  return BigInt(`0x${randomBytes(10).toString('hex')}`)
    .toString(36)
    .padStart(10, '0')
    .slice(-10);
}
