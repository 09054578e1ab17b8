import { authenticationChecks } from './checks/authentication-checks.ts';
import { cancelErrorChecks, cancellationChecks } from './checks/cancel-checks.ts';
import { type Check, CheckSkipped } from './checks/check.ts';
import { deprecationChecks } from './checks/deprecation-checks.ts';
import { http2Checks } from './checks/http2-checks.ts';
import { listChecks } from './checks/list-checks.ts';
import { pathChecks } from './checks/path-checks.ts';
import { type ExpectedLimits, planChecks } from './checks/plan-checks.ts';
import { countingChecks, exhaustionChecks } from './checks/rate-limit-checks.ts';
import { Repetitions } from './repetitions.ts';
import type { Stage } from './stage/stage.ts';

export interface Result {
  readonly group: string;
  readonly title: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** The differences, or the reason why the check was skipped. */
  readonly details: readonly string[];
  /** The answers that differ: request, status, request id, and the start of the body. */
  readonly evidence: readonly string[];
  readonly elapsedMs: number;
  readonly requests: number;
  /** The bytes of all bodies as they were sent, that is, before decompression. */
  readonly bytes: number;
}

interface Selection {
  /** The order to cancel, which cannot be undone. @default - no order is cancelled */
  readonly cancelOrder?: string;
  /** Whether to use up the key's limit. */
  readonly limits: boolean;
  /** Whether to wait until the key is served again. */
  readonly wait: boolean;
  /** Whether to run only the first check of each group. */
  readonly quick: boolean;
  /** Whether to read the list over HTTP/2 as well. */
  readonly http2: boolean;
  /** The expected limits of the key's owner. @default - the limits are not checked */
  readonly expectLimits?: ExpectedLimits;
}

/** The selected checks. Those that use up the key's limit come last. */
export function selectChecks(selection: Selection): Check[] {
  const { cancelOrder, limits, wait, http2, expectLimits } = selection;
  const always = [
    ...authenticationChecks,
    ...pathChecks,
    ...listChecks(),
    ...cancelErrorChecks,
    ...deprecationChecks,
    ...countingChecks,
  ];
  return [
    ...(selection.quick ? firstOfEachGroup(always) : always),
    ...(http2 ? http2Checks : []),
    ...(expectLimits === undefined ? [] : planChecks(expectLimits)),
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks(wait) : []),
  ];
}

function firstOfEachGroup(checks: readonly Check[]): Check[] {
  return [...Map.groupBy(checks, ({ group }) => group).values()].map(([first]) => first!);
}

/** Runs the checks one after the other, because they share a key and its counters. */
export async function* runChecks(stage: Stage, checks: readonly Check[]): AsyncGenerator<Result> {
  const repetitions = new Repetitions();
  // The requests of the preflight belong to no check.
  stage.exchanges.take();
  for (const check of checks) yield await runCheck(stage, check, repetitions);
}

async function runCheck(stage: Stage, check: Check, repetitions: Repetitions): Promise<Result> {
  const startedMs = performance.now();
  const { outcome, details } = await outcomeOf(stage, check);
  const elapsedMs = Math.round(performance.now() - startedMs);
  const { requests, bytes, evidence } = stage.exchanges.take();
  const isFailed = outcome === 'failed';
  return {
    group: check.group,
    title: check.title,
    outcome,
    details: isFailed ? repetitions.withoutKnown(details) : details,
    evidence: isFailed ? evidence : [],
    elapsedMs,
    requests,
    bytes,
  };
}

async function outcomeOf(
  stage: Stage,
  { run }: Check,
): Promise<Pick<Result, 'outcome' | 'details'>> {
  try {
    const details = [...new Set(await run(stage))];
    return { outcome: details.length === 0 ? 'passed' : 'failed', details };
  } catch (error) {
    const outcome = error instanceof CheckSkipped ? 'skipped' : 'failed';
    return { outcome, details: [(error as Error).message] };
  }
}
