import { change } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { complete, readOwner } from './find-owner.ts';
import type { CompleteOwner } from './stored-owner.ts';

type OwnerStatus = 'active' | 'suspended';

/**
 * Suspends or resumes an owner. All keys of a suspended owner are refused from the next request on. It
 * is not an error if the owner already has the status.
 */
export async function setOwnerStatus(
  { details: { ownerId, ownerHash } }: CompleteOwner,
  status: OwnerStatus,
  store: KeyStore,
): Promise<CompleteOwner> {
  await change(
    {
      table: store.apiKeysTable,
      key: { ownerHash },
      update: 'SET #status = :status',
      condition: 'attribute_exists(ownerHash)',
      names: { '#status': 'status' },
      values: { ':status': status },
    },
    store,
  );
  return complete((await readOwner(ownerId, store))!);
}
