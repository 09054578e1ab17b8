import { NotFoundError, OperatorError, quoted, WrongStateError } from '../../shared/errors.ts';
import { problemOf } from '../stage/service-failure.ts';
import type { StoredKey } from './keys.ts';
import type { OwnerDetails, StoredOwner } from './stored-owner.ts';

/* The errors of this folder. It knows no commands, so console/advice.ts says what an operator can do. */

/** There is no owner with this id or name. */
export class OwnerNotFoundError extends NotFoundError {
  constructor(idOrName: string) {
    super(`There is no owner ${quoted(idOrName)}`);
  }
}

/** The creation of an owner, or its deletion, was interrupted. */
export class IncompleteOwnerError extends WrongStateError {
  readonly owner: OwnerDetails;

  constructor(owner: OwnerDetails) {
    super(`The owner ${quoted(owner.name)} is incomplete`);
    this.owner = owner;
  }
}

/** Another owner has the name. */
export class NameTakenError extends WrongStateError {
  readonly ownerId: string;

  constructor({ details: { name, ownerId }, item }: StoredOwner) {
    super(
      `There is already an owner ${quoted(name)}, ${ownerId}${item ? `, on the ${item.plan} plan` : ''}`,
    );
    this.ownerId = ownerId;
  }
}

/** There is no key with this id. */
export class KeyNotFoundError extends NotFoundError {
  /** Undefined if there is no such owner either. */
  readonly ownerId: string | undefined;

  constructor(keyId: string, ownerId: string | undefined) {
    super(`No key has the id ${keyId}`);
    this.ownerId = ownerId;
  }
}

/** An owner has as many keys as it may have. */
export class TooManyKeysError extends WrongStateError {
  readonly ownerId: string;

  constructor({ name, ownerId }: OwnerDetails, keys: number) {
    super(`The owner ${quoted(name)} has ${keys} keys, and ${keys} is the maximum`);
    this.ownerId = ownerId;
  }
}

/** A new key may have been stored, but the response was lost. Nobody has received its token. */
export class KeyUnconfirmedError extends OperatorError {
  readonly keyId: string;
  readonly replaced: string | undefined;

  constructor({ keyId, details }: StoredKey, cause: unknown) {
    super(`${keyId} may have been issued: ${problemOf(cause)}`, { cause });
    this.keyId = keyId;
    this.replaced = details?.replaces;
  }
}

/** A key is expired or revoked, so it cannot be changed. */
export class KeyEndedError extends WrongStateError {
  readonly ownerId: string;

  constructor(keyId: string, end: string, change: string, ownerId: string) {
    super(`${keyId} is ${end} and cannot be ${change}`);
    this.ownerId = ownerId;
  }
}
