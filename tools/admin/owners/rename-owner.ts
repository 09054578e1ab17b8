import { quoted, WrongStateError } from '../../shared/errors.ts';
import { changeTogether, expressions, present, type Update } from '../stage/dynamodb-calls.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { withHalfDoneError } from '../stage/service-failure.ts';
import { findOwner, nameReservation, ownerName, readOwner, scan } from './find-owner.ts';
import type { StoredOwner } from './stored-owner.ts';

/**
 * Renames an owner: it reserves the new name and writes it to the details, in one transaction, and
 * then releases the old name. If it is interrupted, the owner can be found under both names, and the
 * same command completes it.
 *
 * Of renamings at the same time, the last one decides, and releases the names of the others. The name
 * in the details is reserved at any time, so that no other owner can be given it.
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
    await takeName(name, ownerId, store);
    await releaseOtherNames(name, ownerId, store);
    return (await readOwner(ownerId, store))!;
  });
}

async function takeName(name: string, owner: string, store: KeyStore): Promise<void> {
  const reservation: Update = { set: { owner }, where: [{ ownerId: undefined }, { owner }] };
  const taken = await changeTogether(
    [
      { Update: inOwners(nameReservation(name), reservation, store) },
      { Update: inOwners(owner, { set: { name }, where: { ownerId: present } }, store) },
    ],
    store,
  );
  if (taken) return;
  throw new WrongStateError(`Another owner has the name ${quoted(name)}`, {
    remedy: '"owners show" with this name tells which',
  });
}

/**
 * Releases all other names of the owner, including those of interrupted renamings, as long as the
 * owner still has this name.
 */
export async function releaseOtherNames(
  name: string,
  owner: string,
  store: KeyStore,
): Promise<void> {
  const items = await scan<{ ownerId: string; owner?: string }>(store, store.ownersTable);
  const others = items.filter(
    (item) => item.owner === owner && item.ownerId !== nameReservation(name),
  );
  for (const { ownerId } of others) {
    await changeTogether(
      [
        { Delete: inOwners(ownerId, { where: { owner } }, store) },
        // This changes nothing. A ConditionCheck would need a permission that operators lack.
        { Update: inOwners(owner, { set: { name }, where: { name } }, store) },
      ],
      store,
    );
  }
}

/** A part of a transaction that concerns an item of the Owners table. */
export function inOwners(ownerId: string, update: Update, { ownersTable }: KeyStore) {
  return expressions({ table: ownersTable, key: { ownerId }, ...update });
}
