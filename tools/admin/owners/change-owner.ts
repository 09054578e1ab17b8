import { ownerCounters } from '../../../lambdas/shared/owner-record.ts';
import { present } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findCompleteOwner } from './find-owner.ts';
import { type CompleteOwner, changeItem, type OwnerItem } from './stored-owner.ts';

type Counters = Record<(typeof ownerCounters)[number], number>;

/** The authorizer's counters before the first request. */
export const noUsage = Object.fromEntries(ownerCounters.map((name) => [name, 0])) as Counters;

/**
 * Changes what the authorizer reads of an owner: its status, which applies to all of its keys from the
 * next request on, or its counters. Bans are not affected, because they belong to keys.
 *
 * @returns the owner as it is afterwards
 * @throws OperatorError when there is no such owner, or it is not complete
 */
export async function changeOwner(
  idOrName: string,
  set: Pick<OwnerItem, 'status'> | Counters,
  store: KeyStore,
): Promise<CompleteOwner> {
  const { details } = await findCompleteOwner(idOrName, store);
  await changeItem(details, { set: { ...set }, where: { ownerHash: present } }, store);
  return findCompleteOwner(details.ownerId, store);
}
