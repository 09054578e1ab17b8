import { ownerCounters } from '../../lambdas/shared/owner-record.ts';
import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { noUsage } from './create-owner.ts';
import { complete, findCompleteOwner, readOwner } from './find-owner.ts';
import type { CompleteOwner } from './stored-owner.ts';

/**
 * Forgets what an owner has used of its minute and its day, as before its first request. Where a
 * machine's wrong clock has used up a day that is not over, nothing else frees its owner. Bans stay:
 * they are a key's.
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
