import { authenticationChecks } from './authentication-checks.ts';
import type { Check } from './check.ts';
import { cancelErrorChecks, cancellationChecks, listChecks } from './order-checks.ts';
import {
  countingChecks,
  type ExpectedLimits,
  exhaustionChecks,
  planChecks,
} from './rate-limit-checks.ts';
import { retiredOperationChecks, unknownRouteChecks } from './route-checks.ts';

export interface Selection {
  /** Whether to make only the first check of each group. */
  readonly quick: boolean;
  /** The order to cancel, which cannot be undone. @default - no order is cancelled */
  readonly cancelOrder?: string;
  /** Whether to use up the key's limit. */
  readonly limits: boolean;
  /** The expected limits of the key's owner. @default - the limits are not checked */
  readonly expectLimits?: ExpectedLimits;
}

/** The selected checks. Those that use up the key's limit come last. */
export function selectChecks({ quick, cancelOrder, limits, expectLimits }: Selection): Check[] {
  const groups = [
    authenticationChecks,
    unknownRouteChecks,
    listChecks(),
    cancelErrorChecks,
    retiredOperationChecks,
    countingChecks,
  ];
  return [
    ...groups.flatMap((checks) => (quick ? checks.slice(0, 1) : checks)),
    ...(expectLimits === undefined ? [] : planChecks(expectLimits)),
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks() : []),
  ];
}
