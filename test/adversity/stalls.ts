/*
 * On a machine under load, the thread of a test can be stalled for longer than a function's timeouts. A
 * failure at such a time is not a failure of the service.
 */

const beatMs = 20;
const stallMs = 100;

/** Records when this thread was stalled. */
export class StallWatch implements Disposable {
  #beatAtMs = performance.now();
  #stalledAtMs = Number.NEGATIVE_INFINITY;
  readonly #timer = setInterval(() => this.#beat(), beatMs);

  /** Whether the thread has been stalled since a time. @param sinceMs a time of `performance.now()` */
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
