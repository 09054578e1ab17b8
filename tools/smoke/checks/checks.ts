import type { SmokeOptions } from '../options.ts';
import { authenticationChecks } from './authentication-checks.ts';
import type { Check } from './check.ts';
import { cancelErrorChecks, cancellationChecks, listChecks } from './order-checks.ts';
import { countingChecks, exhaustionChecks } from './rate-limit-checks.ts';
import { retiredOperationChecks, unknownRouteChecks } from './route-checks.ts';

/** The selected checks. Those that use up the key's limit come last. */
export function selectChecks({
  quick,
  cancelOrder,
  limits,
}: Omit<SmokeOptions, 'url'>): readonly Check[] {
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
    ...(cancelOrder === undefined ? [] : cancellationChecks(cancelOrder)),
    ...(limits ? exhaustionChecks() : []),
  ];
}
