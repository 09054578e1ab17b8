/** What has to hold during the whole run, with what the report calls it. */
export const promises = {
  cancel: 'an order is cancelled by one request, which was told so or whose answer was lost',
  limit: 'no owner is admitted beyond its limit in a minute',
  answer: 'a complete answer is one that the contract documents, with its headers',
  success: 'no request has the success of another one',
  list: 'a list is whole or visibly broken',
  time: 'no request takes longer than its time-out',
  recovery: 'ten seconds after the faults every request is answered as it should be',
  memory: 'the service stays below 600 MB',
  process: 'the service keeps running',
} as const;

export type PromiseName = keyof typeof promises;

const keptExamples = 5;

/** Counts what was broken, and keeps the first examples. */
export class BrokenPromises {
  readonly counts: Record<PromiseName, number>;
  readonly examples: string[] = [];

  constructor() {
    const names = Object.keys(promises) as PromiseName[];
    this.counts = Object.fromEntries(names.map((name) => [name, 0])) as typeof this.counts;
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  add(name: PromiseName, found: readonly string[]): void {
    const room = Math.max(0, keptExamples - this.counts[name]);
    this.examples.push(...found.slice(0, room).map((example) => `${name}: ${example}`));
    this.counts[name] += found.length;
  }
}
