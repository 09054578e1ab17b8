import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { quoted, WrongStateError } from '../../shared/errors.ts';
import { change, changeDetails } from '../stage/conditional-writes.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findOwner, readOwner, scan } from './find-owner.ts';
import { withHalfDoneError } from './half-done.ts';
import { nameReservation, ownerName } from './owner-name.ts';
import type { StoredOwner } from './stored-owner.ts';

/**
 * Renames an owner: it reserves the new name, writes it to the details and releases the old name. If
 * it is interrupted, the owner can be found under both names, and the same command completes it.
 *
 * @throws OperatorError when another owner has the name, or DynamoDB fails
 */
export async function renameOwner(
  idOrName: string,
  newName: string,
  store: KeyStore,
): Promise<StoredOwner> {
  const name = ownerName(newName);
  const { ownerId } = (await findOwner(idOrName, store)).details;
  return withHalfDoneError(`${ownerId} may be renamed in part only`, async () => {
    await reserve(name, ownerId, store);
    const names = { '#name': 'name' };
    const values = { ':name': name };
    await changeDetails(ownerId, { update: 'SET #name = :name', names, values }, store);
    await releaseOtherNames(name, ownerId, store);
    return (await readOwner(ownerId, store))!;
  });
}

async function reserve(name: string, ownerId: string, store: KeyStore): Promise<void> {
  const reserved = await change(
    {
      table: store.ownersTable,
      key: { ownerId: nameReservation(name) },
      update: 'SET #owner = :owner',
      condition: 'attribute_not_exists(ownerId) OR #owner = :owner',
      names: { '#owner': 'owner' },
      values: { ':owner': ownerId },
    },
    store,
  );
  if (reserved) return;
  throw new WrongStateError(`Another owner has the name ${quoted(name)}`, {
    remedy: '"owners show" with this name tells which',
  });
}

/** Releases all other names of the owner, including those of interrupted renamings. */
async function releaseOtherNames(name: string, ownerId: string, store: KeyStore): Promise<void> {
  const items = await scan<{ ownerId: string; owner?: string }>(store, store.ownersTable);
  const others = items.filter(
    (item) => item.owner === ownerId && item.ownerId !== nameReservation(name),
  );
  for (const { ownerId: key } of others) {
    await store.documents.send(
      new DeleteCommand({
        TableName: store.ownersTable,
        Key: { ownerId: key },
        ConditionExpression: '#owner = :owner',
        ExpressionAttributeNames: { '#owner': 'owner' },
        ExpressionAttributeValues: { ':owner': ownerId },
      }),
    );
  }
}
