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

function questionAbout({ details: { name, ownerId }, item }: StoredOwner): string {
  const keys = counted(Object.keys(item?.keys ?? {}).length, 'key');
  return (
    `Delete ${name} (${ownerId}) with everything that is stored about it? Its ${keys} will be refused from the next ` +
    'request on, for good.'
  );
}

/**
 * Deletes an owner, and then its API Gateway keys, which nobody can need any more. If the command is interrupted while
 * the owner is stored, the same command completes the deletion. If it is interrupted later, `owners repair` does, and so
 * does the same command with the owner's id.
 *
 * @throws NotFoundError if nothing is left of the owner
 */
export async function deleteOwner(
  idOrName: string,
  stage: KeyStage,
): Promise<{ ownerId: string; name?: string; keys: number }> {
  const owner = await lookUpOwner(idOrName, stage);
  if (!owner) return deleteRest(idOrName, stage);
  await removeOwner(owner, stage);
  const { ownerId, name } = owner.details;
  await deleteGatewayKeys(ownerId, stage);
  return { ownerId, name, keys: Object.keys(owner.item?.keys ?? {}).length };
}

async function deleteRest(ownerId: string, stage: KeyStage) {
  const isAnyLeft = isOwnerId(ownerId) && (await deleteGatewayKeys(ownerId, stage)) > 0;
  if (isAnyLeft) return { ownerId, keys: 0 };
  throw new NotFoundError(`There is no owner ${quoted(ownerId)}`, {
    remedy:
      'if its deletion was interrupted, "./admin owners repair" deletes the API Gateway keys that are left',
  });
}
