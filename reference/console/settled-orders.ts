import { readStored, writeStored } from '../browser/page-storage.ts';

/** The final states of orders, by the error code of the answer. */
const outcomes: Readonly<Record<string, string>> = {
  order_already_cancelled: 'cancelled',
  order_already_shipped: 'shipped',
};

/**
 * The orders that the page knows to be cancelled or shipped, which is final. They are stored for this
 * run of the service until the tab is closed.
 */
export class SettledOrders {
  readonly #name: string;
  readonly #outcomes: Map<string, string>;

  constructor(runId: string) {
    this.#name = `settled:${runId}`;
    const stored = readStored(() => sessionStorage, this.#name);
    this.#outcomes = new Map(JSON.parse(stored ?? '[]'));
  }

  /** The final state of an order; undefined if it may still be cancelled. */
  of(orderId: string): string | undefined {
    return this.#outcomes.get(orderId);
  }

  /** Records the answer to a cancellation. @param code its error code; undefined for success */
  take(orderId: string, code: string | undefined): void {
    const outcome = code === undefined ? 'cancelled' : outcomes[code];
    if (outcome === undefined) return;
    this.#outcomes.set(orderId, outcome);
    writeStored(() => sessionStorage, this.#name, JSON.stringify([...this.#outcomes]));
  }
}
