import { NotFoundError, quoted } from '../../shared/errors.ts';
import { asOption, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { deleteGatewayKeys } from '../store/gateway-keys.ts';
import { isOwnerId } from '../store/identities.ts';
import { removeOwner } from '../store/owner-change.ts';
import { lookUpOwner } from '../store/owners.ts';
import type { StoredOwner } from '../store/stored-owner.ts';

export const deletion: Verb = {
  usage: 'delete <owner>',
  description: 'remove everything that is stored about an owner: its name, keys and usage',
  options: [yesOption, asOption],
  help: `Logs and backups still contain the owner for a while (docs/operating.md).`,
  examples: ['owners delete "Acme Ltd" --stage staging'],
  run: async ({ stage, confirm }, idOrName = '') => {
    const owner = await lookUpOwner(idOrName, stage);
    if (owner) await confirm(questionAbout(owner));
    const deleted = await deleteOwner(idOrName, stage);
    const { ownerId, name = ownerId } = deleted;
    return { value: { ...deleted, deleted: true }, text: `Deleted ${name} (${ownerId}).` };
  },
};

function questionAbout(owner: StoredOwner): string {
  const { name, ownerId } = owner.details;
  const keys = counted(keyCount(owner), 'key');
  return (
    `Delete ${name} (${ownerId}) with everything that is stored about it? Its ${keys} will be refused from the next ` +
    'request on, for good.'
  );
}

/**
 * Deletes an owner, and then its API Gateway keys, which nobody can need any more. If the command is interrupted in
 * between, `owners repair` completes the deletion, and so does the same command with the owner's id.
 *
 * @throws NotFoundError if nothing is left of the owner
 */
export async function deleteOwner(
  idOrName: string,
  stage: KeyStage,
): Promise<{ ownerId: string; name?: string; keys: number }> {
  const owner = await lookUpOwner(idOrName, stage);
  if (owner) await removeOwner(owner, stage);
  const { ownerId, name } = owner?.details ?? { ownerId: idOrName };
  const gatewayKeys = isOwnerId(ownerId) ? await deleteGatewayKeys(ownerId, stage) : 0;
  if (owner || gatewayKeys > 0) return { ownerId, name, keys: keyCount(owner) };
  throw new NotFoundError(`There is no owner ${quoted(idOrName)}`, {
    remedy:
      'if its deletion was interrupted, "./admin owners repair" deletes the API Gateway keys that are left',
  });
}

const keyCount = (owner?: StoredOwner) => Object.keys(owner?.item?.keys ?? {}).length;
