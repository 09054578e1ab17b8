import type { KeyState } from './key-state.ts';

/** A key that this execution environment has met. */
export interface MetKey {
  /** As it was last seen, by this environment. */
  state: KeyState;
  /** Rejections that the item does not count yet, and the UTC minute that they belong to. */
  pending: { minute: number; count: number };
}

/**
 * What an execution environment remembers of the keys that exist. It holds no more than so many:
 * the one that was used longest ago makes room.
 */
export class KeyMemory {
  readonly #capacity: number;
  // A map keeps its entries in the order in which they were set.
  readonly #met = new Map<string, MetKey>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The key, which counts as used; undefined for one that was not met. */
  recall(tokenHash: string): MetKey | undefined {
    const met = this.#met.get(tokenHash);
    if (!met) return undefined;
    this.#met.delete(tokenHash);
    this.#met.set(tokenHash, met);
    return met;
  }

  /** Remembers how a key was seen. */
  remember(tokenHash: string, state: KeyState): void {
    const met = this.recall(tokenHash);
    if (met) {
      met.state = state;
      return;
    }
    this.#met.set(tokenHash, { state, pending: { minute: 0, count: 0 } });
    if (this.#met.size <= this.#capacity) return;
    const [oldest = ''] = this.#met.keys();
    this.#met.delete(oldest);
  }

  forget(tokenHash: string): void {
    this.#met.delete(tokenHash);
  }

  /** Adds rejections of a minute to those that the item does not count yet. */
  addPending(tokenHash: string, minute: number, count: number): void {
    const met = this.#met.get(tokenHash);
    if (!met) return;
    const earlier = met.pending.minute === minute ? met.pending.count : 0;
    met.pending = { minute, count: earlier + count };
  }

  /** Takes out the rejections of a minute that the item does not count yet. */
  takePending(tokenHash: string, minute: number): number {
    const met = this.#met.get(tokenHash);
    if (!met) return 0;
    const { pending } = met;
    met.pending = { minute, count: 0 };
    return pending.minute === minute ? pending.count : 0;
  }
}
