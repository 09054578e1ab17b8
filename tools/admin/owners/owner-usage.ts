import { type Field, grouped } from '../console/view.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { allOwners, findOwner } from './find-owner.ts';
import { findGatewayKeys } from './gateway-key.ts';

/** The most days that API Gateway's metering goes back. */
export const meteredDays = 90;

const dayMs = 86_400_000;

/** What an owner's keys have requested, in all and on each day (UTC). */
type OwnerUsage = Awaited<ReturnType<typeof ownersUsage>>[number];

/**
 * Reads what owners have used: one, or all of them, the busiest first. API Gateway meters a request
 * that the authorizer has admitted, in the usage plan in which the owner was at the time.
 *
 * @param idOrName the owner. @default - all
 * @param days the number of days, of which the last one is today
 */
export async function ownersUsage(idOrName: string | undefined, days: number, store: KeyStore) {
  const owners = idOrName ? [await findOwner(idOrName, store)] : await allOwners(store);
  const gatewayKeys = await findGatewayKeys(store, idOrName && owners[0]!.details.ownerId);
  const now = store.now();
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(now - (days - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
  const keyId = idOrName && [...gatewayKeys.keys()][0];
  const interval = { keyId, startDate: dates[0]!, endDate: dates.at(-1)! };
  const metered: [key: string, log: number[][]][] = [];
  for (const usagePlanId of Object.values(store.usagePlanIds)) {
    metered.push(...Object.entries(await store.gateway.getUsage({ usagePlanId, ...interval })));
  }
  // The reference of the API says that this is the key's id, and its example shows the key's value,
  // which is the owner's id.
  const byOwner = Map.groupBy(metered, ([key]) => gatewayKeys.get(key) ?? key);
  const used = owners.map(({ details: { ownerId, name }, item }) => {
    const logs = byOwner.get(ownerId) ?? [];
    const each = dates.map((day, index) => {
      const requests = logs.reduce((sum, [, log]) => sum + (log[index]?.[0] ?? 0), 0);
      return { day, requests };
    });
    const requests = each.reduce((sum, day) => sum + day.requests, 0);
    return { ownerId, name, plan: item?.plan ?? null, requests, days: each };
  });
  return used.sort((one, other) => other.requests - one.requests);
}

export const usageOfOwnersFields: readonly Field<OwnerUsage>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'requests', of: ({ requests }) => grouped(requests) },
];

export const usageOfDaysFields: readonly Field<OwnerUsage['days'][number]>[] = [
  { name: 'day', of: ({ day }) => day },
  { name: 'requests', of: ({ requests }) => grouped(requests) },
];
