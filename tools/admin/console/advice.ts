import type { OperatorError } from '../../shared/errors.ts';
import { shellWord } from '../stage/target.ts';
import { TokenGivenError } from '../store/checked-text.ts';
import {
  IncompleteOwnerError,
  KeyEndedError,
  KeyNotFoundError,
  KeyUnconfirmedError,
  NameTakenError,
  OwnerNotFoundError,
  TooManyKeysError,
} from '../store/errors.ts';

/**
 * What the operator can do after an error. The errors of the store have no remedy, because the store knows no commands.
 */
export function remedyOf(error: OperatorError): string | undefined {
  if (error.remedy !== undefined) return error.remedy;
  if (error instanceof OwnerNotFoundError) return '"./admin owners list" shows all owners';
  if (error instanceof KeyNotFoundError) {
    const list = error.ownerId ? `keys list --owner ${error.ownerId}` : 'keys list';
    return `"./admin ${list}" shows all keys, for 90 days after their end`;
  }
  if (error instanceof IncompleteOwnerError) {
    const { name, ownerId } = error.owner;
    return `${completionOf(name)}, "./admin owners delete ${ownerId}" removes it`;
  }
  if (error instanceof NameTakenError) {
    return `choose another name; "./admin owners show ${error.ownerId}" shows this owner`;
  }
  if (error instanceof KeyEndedError) {
    return `"./admin keys issue --owner ${error.ownerId}" issues another key`;
  }
  if (error instanceof KeyUnconfirmedError) {
    const { keyId, replaced } = error;
    return replaced
      ? `nobody has received its API key, so run "./admin keys rotate ${keyId} --grace 0s", which revokes it and issues another key; if there is no such key, run this command again`
      : `nobody has received its API key, so run "./admin keys revoke ${keyId}", then this command again`;
  }
  if (error instanceof TooManyKeysError) {
    return `revoke keys that nobody needs: "./admin keys list --owner ${error.ownerId}" shows them`;
  }
  if (error instanceof TokenGivenError) {
    return 'if it is an API key, "./admin keys show" reads it from a prompt, and says how to replace it';
  }
  return undefined;
}

/** How to complete an owner whose creation was interrupted. */
export function completionOf(name: string): string {
  return `"./admin owners create ${shellWord(name)} --plan free" completes it, on this plan or another`;
}
