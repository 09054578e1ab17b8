/** Lets a number of scans through at a time, and makes the others wait in their order. */
export class ScanQueue {
  readonly #atOnce: number;
  readonly #waiting = new Set<() => void>();
  #underWay = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Waits for a turn.
   *
   * @param signal gives the place in the queue up
   * @returns what has to be called, once, when the scan is done
   * @throws the signal's reason
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#underWay < this.#atOnce) this.#underWay++;
    else await this.#turn(signal);
    return () => this.#leave();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(proceed);
        reject(signal.reason);
      };
      const proceed = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(proceed);
    });
  }

  /** The turn goes to who has waited longest, if anyone does. */
  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#underWay--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
