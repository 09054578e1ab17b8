import type { KeyState } from './key-state.ts';

interface CachedKey {
  state: KeyState;
  /** Rejections that the item does not count yet, and the start of the UTC minute they belong to. */
  pending: { minute: number; count: number };
}

/**
 * The last known state of the valid keys that an execution environment has received. When the cache
 * is full, the least recently used key is evicted.
 */
export class KeyCache {
  readonly #capacity: number;
  // A map iterates in the order of insertion, so the least recently used key comes first.
  readonly #keys = new Map<string, CachedKey>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The cached state of a key, which becomes the most recently used one. */
  get(tokenHash: string): KeyState | undefined {
    const cached = this.#keys.get(tokenHash);
    if (!cached) return undefined;
    this.#keys.delete(tokenHash);
    this.#keys.set(tokenHash, cached);
    return cached.state;
  }

  /** Caches the state of a key. Its pending rejections stay. */
  set(tokenHash: string, state: KeyState): void {
    const pending = this.#keys.get(tokenHash)?.pending ?? { minute: 0, count: 0 };
    this.#keys.delete(tokenHash);
    this.#keys.set(tokenHash, { state, pending });
    if (this.#keys.size <= this.#capacity) return;
    const [leastRecentlyUsed = ''] = this.#keys.keys();
    this.#keys.delete(leastRecentlyUsed);
  }

  delete(tokenHash: string): void {
    this.#keys.delete(tokenHash);
  }

  /** Adds rejections of a minute to those that the item does not count yet. */
  addPending(tokenHash: string, minute: number, count: number): void {
    const cached = this.#keys.get(tokenHash);
    if (!cached) return;
    const earlier = cached.pending.minute === minute ? cached.pending.count : 0;
    cached.pending = { minute, count: earlier + count };
  }

  /** Removes and returns the rejections of a minute that the item does not count yet. */
  takePending(tokenHash: string, minute: number): number {
    const cached = this.#keys.get(tokenHash);
    if (!cached) return 0;
    const { pending } = cached;
    cached.pending = { minute, count: 0 };
    return pending.minute === minute ? pending.count : 0;
  }
}
