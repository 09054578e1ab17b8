import { ownerCounters } from '../../lambdas/shared/owner-record.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { noUsage } from './create-owner.ts';
import { complete, findCompleteOwner, readOwner } from './find-owner.ts';
import type { CompleteOwner } from './stored-owner.ts';

/**
 * Resets an owner's counters to their initial values. This is needed when a machine with a wrong clock
 * has used up the quota of a day. Bans are not affected, because they belong to keys.
 *
 * @throws OperatorError when there is no such owner
 */
export async function resetUsage(idOrName: string, store: KeyStore): Promise<CompleteOwner> {
  const { ownerId, ownerHash } = (await findCompleteOwner(idOrName, store)).details;
  await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      update: `SET ${ownerCounters.map((name) => `${name} = :${name}`).join(', ')}`,
      condition: 'attribute_exists(ownerHash)',
      values: Object.fromEntries(ownerCounters.map((name) => [`:${name}`, noUsage[name]])),
    },
    store,
  );
  return complete((await readOwner(ownerId, store))!);
}
