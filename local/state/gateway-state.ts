import type { ApiKey, ControlPlaneState } from '../control-plane/control-plane.ts';
import type { QuotaUsage } from '../gateway/usage-plan.ts';
import type { DataDirectory, FileFormat } from './data-directory.ts';

const file = 'gateway.json';
const usageDelayMs = 1_000;
const retryDelayMs = 5_000;

interface StoredState extends ControlPlaneState {
  readonly usage: QuotaUsage;
}

const format: FileFormat<StoredState> = {
  isValid: (value): value is StoredState => {
    const { apiKeys, usagePlanKeys, usage } = Object(value) as Partial<StoredState>;
    return areKeys(apiKeys) && areMembers(usagePlanKeys) && areCounts(usage);
  },
  remedy: 'put a copy of it back, or start with an empty directory',
};

/** The types of a stored API key's fields; a description is optional. */
const keyTypes = {
  id: 'string',
  name: 'string',
  value: 'string',
  enabled: 'boolean',
  createdDate: 'number',
  lastUpdatedDate: 'number',
};

function areKeys(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every((key) => hasTypes(key, keyTypes))) return false;
  const keys: ApiKey[] = value;
  return [keys.map(({ id }) => id), keys.map((key) => key.value)].every(
    (texts) => new Set(texts).size === texts.length,
  );
}

function areMembers(value: unknown): boolean {
  const types = { usagePlanId: 'string', keyId: 'string' };
  return Array.isArray(value) && value.every((member) => hasTypes(member, types));
}

function areCounts(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const types = { period: 'string', count: 'number' };
  return Object.values(value as QuotaUsage).every(
    (each) => hasTypes(each, types) && Number.isSafeInteger(each.count) && each.count >= 0,
  );
}

function hasTypes(value: unknown, types: Readonly<Record<string, string>>): boolean {
  const fields = Object(value) as Record<string, unknown>;
  return Object.entries(types).every(([name, type]) => typeof fields[name] === type);
}

/**
 * The gateway's keys and its counts against their quotas, which outlive a run. A change of a key is
 * on disk before its call is answered. Counts are written within a second, because API Gateway does
 * not apply quotas exactly either.
 */
export class GatewayState {
  /** The keys that an earlier run stored. */
  readonly keys: ControlPlaneState;
  /** The counts, which the usage meter updates in place. */
  readonly usage: QuotaUsage;
  readonly #directory: DataDirectory | undefined;
  readonly #log: (line: string) => void;
  #current: ControlPlaneState;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  /**
   * @param directory where to store the state; without one, it is not stored
   * @param log takes a line when counts cannot be written, and when they can be written again
   * @throws LocalRunError when the file of an earlier run is damaged
   */
  constructor(directory: DataDirectory | undefined, log: (line: string) => void) {
    this.#directory = directory;
    this.#log = log;
    const stored = directory?.read(file, format);
    this.keys = { apiKeys: stored?.apiKeys ?? [], usagePlanKeys: stored?.usagePlanKeys ?? [] };
    this.usage = stored?.usage ?? {};
    this.#current = this.keys;
  }

  /** @throws LocalRunError when the keys cannot be written; then the stored keys stay as they are */
  saveKeys(keys: ControlPlaneState): void {
    this.#directory?.write(file, { ...keys, usage: this.usage });
    this.#current = keys;
  }

  /** Schedules a write of the counts. */
  saveUsageSoon(): void {
    if (this.#directory) this.#timer ??= setTimeout(() => this.flush(), usageDelayMs);
  }

  /** Writes counts that are scheduled. A failed write is logged and tried again later. */
  flush(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      this.saveKeys(this.#current);
      if (this.#isFailing) this.#log(`gateway: ${file} is written again`);
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#log(`gateway: ${(error as Error).message}`);
      this.#isFailing = true;
      this.#timer = setTimeout(() => this.flush(), retryDelayMs);
    }
  }

  /** Writes counts that are scheduled, without trying again. */
  close(): void {
    this.flush();
    clearTimeout(this.#timer);
  }
}
