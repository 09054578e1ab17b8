import { quoted, WrongStateError } from '../../shared/errors.ts';
import { changeTogether } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { findOwner, nameReservation, ownerIdOfName, ownerName } from './find-owner.ts';
import { inOwners, type StoredOwner } from './stored-owner.ts';

/**
 * Renames an owner: one transaction reserves the new name, writes it to the details, and releases the
 * old name. So the name in the details is reserved at any time, and no other is.
 *
 * @throws OperatorError when another owner has the name, or DynamoDB fails
 */
export async function renameOwner(
  idOrName: string,
  newName: string,
  store: KeyStore,
): Promise<StoredOwner> {
  const name = ownerName(newName);
  const { ownerId, name: oldName } = (await findOwner(idOrName, store)).details;
  const [reservation, oldReservation] = [nameReservation(name), nameReservation(oldName)];
  const where = [{ ownerId: undefined }, { owner: ownerId }];
  const isRenamed = await changeTogether(
    [
      { Update: inOwners(ownerId, { set: { name }, where: { name: oldName } }, store) },
      { Update: inOwners(reservation, { set: { owner: ownerId }, where }, store) },
      // Names that differ only in case have the same reservation.
      ...(reservation === oldReservation
        ? []
        : [{ Delete: inOwners(oldReservation, { where }, store) }]),
    ],
    store,
  );
  if (isRenamed) return findOwner(ownerId, store);
  const holder = await ownerIdOfName(name, store);
  if (holder !== undefined && holder !== ownerId) {
    throw new WrongStateError(`Another owner has the name ${quoted(name)}`, {
      remedy: '"owners show" with this name tells which',
    });
  }
  throw new WrongStateError(`${ownerId} was changed by somebody else meanwhile`, {
    remedy: 'run the command again',
  });
}
