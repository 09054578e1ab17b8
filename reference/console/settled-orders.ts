import { keep, readKept } from '../browser/kept.ts';

/** What an answer says of an order for good, by its code. */
const outcomes: Readonly<Record<string, string>> = {
  order_already_cancelled: 'cancelled',
  order_already_shipped: 'shipped',
};

/**
 * The orders that nobody can cancel any more, as far as the page has seen: a cancelled or shipped
 * order stays so. They are kept until the tab is closed, and for this run of the service only.
 */
export class SettledOrders {
  readonly #name: string;
  readonly #outcomes: Map<string, string>;

  constructor(runId: string) {
    this.#name = `settled:${runId}`;
    const kept = readKept(() => sessionStorage, this.#name);
    this.#outcomes = new Map(JSON.parse(kept ?? '[]'));
  }

  /** What became of an order; undefined where it may still be cancelled. */
  of(orderId: string): string | undefined {
    return this.#outcomes.get(orderId);
  }

  /** Takes the answer to a cancellation: its error's code, or undefined where it succeeded. */
  take(orderId: string, code: string | undefined): void {
    const outcome = code === undefined ? 'cancelled' : outcomes[code];
    if (outcome === undefined) return;
    this.#outcomes.set(orderId, outcome);
    keep(() => sessionStorage, this.#name, JSON.stringify([...this.#outcomes]));
  }
}
