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
  const interval = { startDate: dateOf(now - (days - 1) * dayMs), endDate: dateOf(now) };
  const requestsOf = new Map<string, number>();
  for (const usagePlanId of Object.values(store.usagePlanIds)) {
    const usage = await store.gateway.getUsage({ usagePlanId, ...interval });
    for (const [key, everyDay] of Object.entries(usage)) {
      // API Gateway's reference calls this the key's id, but its example shows the key's value, which is
      // the owner's id here.
      const ownerId = gatewayKeys.get(key) ?? key;
      const requests = everyDay.reduce((sum, [used = 0]) => sum + used, 0);
      requestsOf.set(ownerId, (requestsOf.get(ownerId) ?? 0) + requests);
    }
  }
  return owners
    .map(({ details: { ownerId, name }, item }) => {
      return { ownerId, name, plan: item?.plan ?? null, requests: requestsOf.get(ownerId) ?? 0 };
    })
    .sort((one, other) => other.requests - one.requests);
}

function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

export const meteredFields: readonly Field<OwnerUsage>[] = [
  { name: 'owner id', of: ({ ownerId }) => ownerId },
  { name: 'name', of: ({ name }) => name },
  { name: 'plan', of: ({ plan }) => plan },
  { name: 'requests', of: ({ requests }) => grouped(requests) },
];
