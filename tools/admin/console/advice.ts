import type { OperatorError } from '../../shared/errors.ts';
import { StoreError, type StoreErrors } from '../store/errors.ts';
import { isKeyId } from '../store/identities.ts';

/** What the operator can do after an error. The errors of the store have no remedy, because the store knows no commands. */
export function remedyOf(error: OperatorError): string | undefined {
  if (!(error instanceof StoreError)) return error.remedy;
  const { code, about } = error as StoreError;
  return (remedies[code] as (about: unknown) => string)(about);
}

const remedies: { [Code in keyof StoreErrors]: (about: StoreErrors[Code]) => string } = {
  ownerNotFound: (idOrName) =>
    isKeyId(idOrName)
      ? `"./admin keys show ${idOrName}" shows this key and its owner`
      : '"./admin owners list" shows all owners',
  nameTaken: ({ ownerId }) =>
    `choose another name, unless an interrupted command has created this owner: "./admin owners show ${ownerId}" shows it`,
  keyNotFound: (owner) =>
    `"./admin keys list${owner ? ` --owner ${owner.ownerId}` : ''}" shows all keys, for 90 days after their end`,
  tooManyKeys: ({ ownerId }) =>
    `revoke keys that nobody needs: "./admin keys list --owner ${ownerId}" shows them`,
  keyEnded: ({ owner }) =>
    `"./admin keys issue --owner ${owner.details.ownerId}" issues another key`,
  keyUnconfirmed: ({ keyId, details }) => {
    const [replacement, revocation] = [`rotate ${keyId} --grace 0s`, `revoke ${keyId}`];
    const unknown = 'nobody has received its API key, so run';
    return details.replaces
      ? `${unknown} "./admin keys ${replacement}", which revokes it and issues another key; if there is no such key, run this command again`
      : `${unknown} "./admin keys ${revocation}", then this command again`;
  },
  tokenGiven: () =>
    'if it is an API key, "./admin keys show" reads it from a prompt, and says how to replace it',
};
