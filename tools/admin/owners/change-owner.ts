import { ownerCounters } from '../../../lambdas/shared/owner-record.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findCompleteOwner } from './find-owner.ts';
import { type CompleteOwner, changeItem } from './stored-owner.ts';

/** The authorizer's counters before the first request. */
export const noUsage = Object.fromEntries(ownerCounters.map((name) => [name, 0])) as Record<
  (typeof ownerCounters)[number],
  number
>;

/**
 * Suspends or resumes an owner. All keys of a suspended owner are refused from the next request on. It
 * is not an error if the owner already has the status.
 */
export function setOwnerStatus(
  owner: CompleteOwner,
  status: 'active' | 'suspended',
  store: KeyStore,
): Promise<CompleteOwner> {
  return setAttributes(owner, { status }, store);
}

/**
 * Resets an owner's counters to their initial values, for a client whose day a fault has used up. Bans
 * are not affected, because they belong to keys.
 */
export function resetUsage(owner: CompleteOwner, store: KeyStore): Promise<CompleteOwner> {
  return setAttributes(owner, noUsage, store);
}

/** Returns the owner as it is afterwards. */
async function setAttributes(
  { details }: CompleteOwner,
  attributes: Readonly<Record<string, unknown>>,
  store: KeyStore,
): Promise<CompleteOwner> {
  await changeItem(details, { set: attributes, where: { ownerHash: present } }, store);
  return findCompleteOwner(details.ownerId, store);
}
