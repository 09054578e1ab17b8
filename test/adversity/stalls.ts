/*
 * A test that shares its machine, and its thread, with others can stand still for longer than a
 * function waits for an answer. What happens then is nobody's fault.
 */

const beatMs = 20;
const stallMs = 100;

/** Notices when this thread stands still. */
export class StallWatch implements Disposable {
  #beatAtMs = performance.now();
  #stalledAtMs = Number.NEGATIVE_INFINITY;
  readonly #timer = setInterval(() => this.#beat(), beatMs);

  /** Whether it has stood still since a moment. @param sinceMs as `performance.now()` tells it */
  hasStalledSince(sinceMs: number): boolean {
    this.#beat();
    return this.#stalledAtMs >= sinceMs;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    const nowMs = performance.now();
    if (nowMs - this.#beatAtMs > stallMs) this.#stalledAtMs = nowMs;
    this.#beatAtMs = nowMs;
  }
}
