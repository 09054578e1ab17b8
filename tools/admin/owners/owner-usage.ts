import { type Field, grouped } from '../console/view.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { allOwners } from './find-owner.ts';
import { findGatewayKeys } from './gateway-key.ts';

/** The number of days for which API Gateway keeps its metering. */
export const meteredDays = 90;

const dayMs = 86_400_000;

/** The requests of an owner's keys. */
type OwnerUsage = Awaited<ReturnType<typeof ownersUsage>>[number];

/**
 * Reads the requests of all owners, the busiest first. API Gateway meters a request that the authorizer
 * has admitted, in the owner's usage plan at that time.
 *
 * @param days the number of days (UTC), the last of which is today
 */
export async function ownersUsage(days: number, store: KeyStore) {
  const owners = await allOwners(store);
  const gatewayKeys = await findGatewayKeys(store);
  const now = store.now();
  const [startDate, endDate] = [now - (days - 1) * dayMs, now].map((timeMs) =>
    new Date(timeMs).toISOString().slice(0, 10),
  );
  const interval = { startDate: startDate!, endDate: endDate! };
  const metered: [key: string, log: number[][]][] = [];
  for (const usagePlanId of Object.values(store.usagePlanIds)) {
    metered.push(...Object.entries(await store.gateway.getUsage({ usagePlanId, ...interval })));
  }
  // API Gateway's reference calls this the key's id, but its example shows the key's value, which is
  // the owner's id here.
  const byOwner = Map.groupBy(metered, ([key]) => gatewayKeys.get(key) ?? key);
  const used = owners.map(({ details: { ownerId, name }, item }) => {
    const everyDay = (byOwner.get(ownerId) ?? []).flatMap(([, log]) => log);
    const requests = everyDay.reduce((sum, [used = 0]) => sum + used, 0);
    return { ownerId, name, plan: item?.plan ?? null, requests };
  });
  return used.sort((one, other) => other.requests - one.requests);
}

export const meteredFields: readonly Field<OwnerUsage>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'requests', of: ({ requests }) => grouped(requests) },
];
