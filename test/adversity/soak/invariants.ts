/** The invariants of a run, with their descriptions in the report. */
export const invariants = {
  cancel: 'an order is cancelled by one request, which was answered 204 or whose answer was lost',
  limit: 'no owner is admitted beyond its limit in a minute',
  answer: 'a complete answer is one that the contract documents, with its headers',
  success: 'no request has a success status that it cannot have',
  list: 'a list is whole or visibly truncated',
  time: 'no request takes longer than its timeout',
  recovery: 'from ten seconds after the faults on, every request has an expected status',
  memory: 'the service stays below 600 MB',
  process: 'the service keeps running',
} as const;

export type InvariantName = keyof typeof invariants;

const keptExamples = 5;

/** Counts the violations of each invariant, and keeps the first examples. */
export class Violations {
  readonly counts: Record<InvariantName, number>;
  readonly examples: string[] = [];

  constructor() {
    const names = Object.keys(invariants) as InvariantName[];
    this.counts = Object.fromEntries(names.map((name) => [name, 0])) as typeof this.counts;
  }

  add(name: InvariantName, found: readonly string[]): void {
    const room = Math.max(0, keptExamples - this.counts[name]);
    this.examples.push(...found.slice(0, room).map((example) => `${name}: ${example}`));
    this.counts[name] += found.length;
  }
}
