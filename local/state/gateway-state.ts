import type { ControlPlaneState } from '../control-plane/control-plane.ts';
import type { QuotaUsage } from '../gateway/usage-plan.ts';
import type { DataDirectory, Kept } from './data-directory.ts';

const file = 'gateway.json';
const usageDelayMs = 1_000;
const retryDelayMs = 5_000;

interface StoredState extends ControlPlaneState {
  readonly usage: QuotaUsage;
}

const stored: Kept<StoredState> = {
  isValid: (value): value is StoredState => {
    const { apiKeys, usagePlanKeys, usage } = Object(value) as Partial<StoredState>;
    return Array.isArray(apiKeys) && Array.isArray(usagePlanKeys) && typeof usage === 'object';
  },
  remedy: 'put a copy of it back, or start with an empty directory',
};

/**
 * The gateway's keys and its counts against their quotas, as they outlive a run. A changed key is
 * on disk before the call that changed it is answered; counts follow within a second, as API
 * Gateway promises no more for them either.
 */
export class GatewayState {
  /** What an earlier run left. */
  readonly keys: ControlPlaneState;
  /** Counted in by the usage meter. */
  readonly usage: QuotaUsage;
  readonly #directory: DataDirectory | undefined;
  readonly #log: (line: string) => void;
  #current: ControlPlaneState;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  /**
   * @param directory nothing is kept without one
   * @param log takes a line when counts cannot be written, and when they can again
   * @throws LocalRunError when what an earlier run left is damaged
   */
  constructor(directory: DataDirectory | undefined, log: (line: string) => void) {
    this.#directory = directory;
    this.#log = log;
    const kept = directory?.read(file, stored);
    this.keys = { apiKeys: kept?.apiKeys ?? [], usagePlanKeys: kept?.usagePlanKeys ?? [] };
    this.usage = kept?.usage ?? {};
    this.#current = this.keys;
  }

  /** @throws LocalRunError when they cannot be written: they are not kept then */
  saveKeys(keys: ControlPlaneState): void {
    this.#directory?.write(file, { ...keys, usage: this.usage });
    this.#current = keys;
  }

  saveUsageSoon(): void {
    if (this.#directory) this.#timer ??= setTimeout(() => this.flush(), usageDelayMs);
  }

  /** Writes what is still waiting. What cannot be written is tried again: requests go on meanwhile. */
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

  /** Writes what is still waiting, for the last time. */
  close(): void {
    this.flush();
    clearTimeout(this.#timer);
  }
}
