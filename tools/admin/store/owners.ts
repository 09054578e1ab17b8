import { InvalidValueError, quoted } from '../../shared/errors.ts';
import { readItem, readItems } from '../stage/dynamodb-calls.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { checkedText } from './checked-text.ts';
import { StoreError } from './errors.ts';
import { isOwnerId } from './identities.ts';
import type { OwnerDetails, OwnerItem, StoredOwner } from './stored-owner.ts';

const maxNameLength = 200;

/** Normalizes an owner's name. @throws OperatorError if it is not accepted */
export function ownerName(text: string): string {
  const name = checkedText('owner', text, maxNameLength);
  if (!isOwnerId(name)) return name;
  throw new InvalidValueError('owner', text, 'a name that does not have the form of an owner id');
}

/** The key of the item that reserves a name in upper and lower case. @throws OperatorError if it is not accepted */
export function nameReservation(text: string): string {
  return `name#${ownerName(text).toLowerCase().normalize('NFC')}`;
}

/** Finds an owner by its id or name. @throws OperatorError if there is none, or the text looks like a token */
export async function findOwner(idOrName: string, stage: KeyStage): Promise<StoredOwner> {
  const owner = await lookUpOwner(idOrName, stage);
  if (owner) return owner;
  throw new StoreError('ownerNotFound', `There is no owner ${quoted(idOrName)}`, idOrName);
}

/** Like `findOwner`, but undefined if there is none. @throws OperatorError if the name is invalid */
export async function lookUpOwner(
  idOrName: string,
  stage: KeyStage,
): Promise<StoredOwner | undefined> {
  if (isOwnerId(idOrName)) return readOwner(idOrName, stage);
  const key = { ownerId: nameReservation(idOrName) };
  const reservation = await readItem<{ owner: string }>(stage.ownersTable, key, stage);
  return reservation && readOwner(reservation.owner, stage);
}

/** Reads both items of an owner; undefined if one of them does not exist. */
export async function readOwner(
  ownerId: string,
  stage: KeyStage,
): Promise<StoredOwner | undefined> {
  const details = await readItem<OwnerDetails>(stage.ownersTable, { ownerId }, stage);
  if (!details) return undefined;
  const { ownerHash } = details;
  const item = await readItem<OwnerItem>(stage.apiKeysTable, { ownerHash }, stage);
  return item && { details, item };
}

/** Finds an owner by the hash of the common part of its tokens; undefined if there is none. */
export async function findOwnerOfHash(
  ownerHash: string,
  stage: KeyStage,
): Promise<StoredOwner | undefined> {
  const item = await readItem<OwnerItem>(stage.apiKeysTable, { ownerHash }, stage);
  return item && readOwner(item.ownerId, stage);
}

/** The owner with this id or name. Without one, all owners. @throws OperatorError if there is no such owner */
export async function ownersNamed(
  idOrName: string | undefined,
  stage: KeyStage,
): Promise<StoredOwner[]> {
  return idOrName === undefined ? allOwners(stage) : [await findOwner(idOrName, stage)];
}

/** All owners of the stage, the newest first. */
export async function allOwners(stage: KeyStage): Promise<StoredOwner[]> {
  const details = await readItems<OwnerDetails>(stage.ownersTable, stage, {
    FilterExpression: 'begins_with(ownerId, :own)',
    ExpressionAttributeValues: { ':own': 'own_' },
  });
  const items = await readItems<OwnerItem & { ownerHash: string }>(stage.apiKeysTable, stage);
  const byHash = new Map(items.map((item) => [item.ownerHash, item]));
  return details
    .flatMap((owner) => {
      const item = byHash.get(owner.ownerHash);
      return item ? [{ details: owner, item }] : [];
    })
    .sort((one, other) => (one.details.createdAt < other.details.createdAt ? 1 : -1));
}
