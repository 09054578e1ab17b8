import type { ControlPlaneState } from '../control-plane/control-plane.ts';
import type { QuotaUsage } from '../gateway/usage-plan.ts';
import type { DataDirectory } from './data-directory.ts';

const file = 'gateway.json';
const usageDelayMs = 1_000;

interface StoredState extends ControlPlaneState {
  readonly usage: QuotaUsage;
}

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
  #current: ControlPlaneState;
  #timer: NodeJS.Timeout | undefined;

  /** @param directory nothing is kept without one */
  constructor(directory: DataDirectory | undefined) {
    this.#directory = directory;
    const stored = directory?.read<StoredState>(file);
    this.keys = { apiKeys: stored?.apiKeys ?? [], usagePlanKeys: stored?.usagePlanKeys ?? [] };
    this.usage = stored?.usage ?? {};
    this.#current = this.keys;
  }

  saveKeys(keys: ControlPlaneState): void {
    this.#current = keys;
    this.#save();
  }

  saveUsageSoon(): void {
    if (this.#directory) this.#timer ??= setTimeout(() => this.flush(), usageDelayMs);
  }

  /** Writes what is still waiting. */
  flush(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#save();
  }

  #save(): void {
    this.#directory?.write(file, { ...this.#current, usage: this.usage });
  }
}
