import { planNames } from '../../../lib/settings/plans.ts';
import { type Field, grouped } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { ownersNamed } from '../stored/find-owner.ts';
import { findGatewayKeys, ownerOfGatewayKey } from './gateway-key.ts';

/** API Gateway keeps the metered requests for this number of days. */
export const meteredDays = 90;

const dayMs = 86_400_000;

/** The last days (UTC) until today, such as `2026-11-20`. */
export function lastDays(count: number, nowMs: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(nowMs - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

type OwnerUsage = Awaited<ReturnType<typeof ownersUsage>>[number];

/**
 * The metered requests on consecutive days (UTC), of an owner's API Gateway keys in all plans: of all owners, the
 * busiest owner first, or of one owner.
 */
export async function ownersUsage(
  idOrName: string | undefined,
  dates: readonly string[],
  stage: KeyStage,
) {
  const owners = await ownersNamed(idOrName, stage);
  // API Gateway's reference says that usage has the keys' ids, but its example shows the keys' values.
  const gatewayKeys = await findGatewayKeys(stage);
  const ownerOf = new Map(gatewayKeys.map((key) => [key.id, key.ownerId]));
  const interval = { startDate: dates[0]!, endDate: dates.at(-1)! };
  const ofPlans = planNames.map((plan) =>
    stage.gateway.getUsage({ usagePlanId: stage.usagePlanId(plan), ...interval }),
  );
  const metered = (await Promise.all(ofPlans)).flatMap((usage) => Object.entries(usage));
  return owners
    .map(({ details: { ownerId, name }, item }) => {
      const own = metered.filter(
        ([key]) => (ownerOf.get(key) ?? ownerOfGatewayKey(key)) === ownerId,
      );
      const days = dates.map((day, index) => {
        const requests = own.reduce((sum, [, everyDay]) => sum + (everyDay[index]?.[0] ?? 0), 0);
        return { day, requests };
      });
      const requests = days.reduce((sum, each) => sum + each.requests, 0);
      return { ownerId, name, plan: item?.plan ?? null, requests, days };
    })
    .sort((one, other) => other.requests - one.requests);
}

export const dayFields: readonly Field<OwnerUsage['days'][number]>[] = [
  { name: 'day', of: ({ day }) => day },
  { name: 'requests', of: ({ requests }) => grouped(requests), isNumber: true },
];

export const meteredFields: readonly Field<OwnerUsage>[] = [
  { name: 'name', of: ({ name }) => name, isCuttable: true },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'requests', of: ({ requests }) => grouped(requests), isNumber: true },
  { name: 'owner id', of: ({ ownerId }) => ownerId },
];
