/** Limits the number of concurrent scans. Waiting scans proceed in the order of their arrival. */
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
   * @param signal cancels the waiting
   * @returns a function that has to be called once, when the scan is done
   * @throws the signal's reason when it is aborted
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#underWay < this.#atOnce) this.#underWay++;
    else await this.#turn(signal);
    return () => this.#release();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(resolve);
      signal.addEventListener('abort', () => {
        this.#waiting.delete(resolve);
        reject(signal.reason);
      });
    });
  }

  /** Passes the turn to the scan that has waited longest, if there is one. */
  #release(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#underWay--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
