import type { SmokeOptions } from '../options.ts';
import { authenticationChecks } from './authentication-checks.ts';
import type { Check } from './check.ts';
import { cancellationChecks, failingRequestChecks, listChecks } from './order-checks.ts';
import { countingChecks, exhaustionChecks } from './rate-limit-checks.ts';
import { retiredOperationChecks, unknownRouteChecks } from './route-checks.ts';

/** The selected checks. Those that use up the key's limit come last. */
export function selectChecks({ cancelOrder, limits }: Omit<SmokeOptions, 'url'>): Check[] {
  return [
    ...authenticationChecks,
    ...unknownRouteChecks,
    ...listChecks(),
    ...failingRequestChecks,
    ...retiredOperationChecks,
    ...countingChecks,
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks() : []),
  ];
}
