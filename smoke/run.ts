import { authenticationChecks } from './checks/authentication-checks.ts';
import { cancelErrorChecks, cancellationChecks } from './checks/cancel-checks.ts';
import { type Check, CheckSkipped } from './checks/check.ts';
import { deprecationChecks } from './checks/deprecation-checks.ts';
import { listChecks } from './checks/list-checks.ts';
import { pathChecks } from './checks/path-checks.ts';
import { countingChecks, exhaustionChecks } from './checks/rate-limit-checks.ts';
import type { Stage } from './stage/stage.ts';

export interface Result {
  readonly group: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** What differs, or why the check was left out. */
  readonly details: readonly string[];
}

export interface Selection {
  /** Cancelled for good. @default - nothing is cancelled */
  readonly cancelOrder?: string;
  /** Whether the key's allowance is used up. */
  readonly limits: boolean;
  /** Whether to wait until the key is served again. */
  readonly wait: boolean;
}

/** What is selected, in an order that leaves the key usable until the end. */
export function selectChecks({ cancelOrder, limits, wait }: Selection): Check[] {
  return [
    ...authenticationChecks,
    ...pathChecks,
    ...listChecks(),
    ...cancelErrorChecks,
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...deprecationChecks,
    ...countingChecks,
    ...(limits ? exhaustionChecks(wait) : []),
  ];
}

/** Runs the checks one after the other: they share a key, and its counters. */
export async function* runChecks(stage: Stage, checks: readonly Check[]): AsyncGenerator<Result> {
  for (const check of checks) yield await runCheck(stage, check);
}

async function runCheck(stage: Stage, { group, title, run }: Check): Promise<Result> {
  try {
    const details = [...new Set(await run(stage))];
    return { group, title, outcome: details.length === 0 ? 'passed' : 'failed', details };
  } catch (error) {
    const outcome = error instanceof CheckSkipped ? 'skipped' : 'failed';
    return { group, title, outcome, details: [(error as Error).message] };
  }
}
