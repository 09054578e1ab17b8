import { NotFoundError, OperatorError, quoted } from '../../shared/errors.ts';
import type { Result } from '../console/command-io.ts';
import { asOption, type Verb, yesOption } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { problemOf } from '../stage/service-failure.ts';
import { deleteGatewayKeys } from '../store/gateway-keys.ts';
import { readHistory } from '../store/history.ts';
import { isOwnerId } from '../store/identities.ts';
import { removeOwner } from '../store/owner-change.ts';
import { lookUpOwner } from '../store/owners.ts';

export const deletion: Verb = {
  usage: 'delete <owner>',
  description: 'remove everything that is stored about an owner: its name, keys and usage',
  options: [yesOption, asOption],
  help: `Logs and backups still contain the owner for a while (docs/operating.md).`,
  examples: ['owners delete "Acme Ltd" --stage staging'],
  run: async ({ stage, confirm }, idOrName = '') => {
    const owner = await lookUpOwner(idOrName, stage);
    if (!owner) return deleteRest(idOrName, stage);
    const { ownerId, name } = owner.details;
    const keys = Object.keys(owner.item.keys).length;
    await confirm(
      `Delete ${name} (${ownerId}) with everything that is stored about it? Its ${counted(keys, 'key')} will be ` +
        'refused from the next request on, for good.',
    );
    try {
      await removeOwner(owner, stage);
      await deleteGatewayKeys(ownerId, stage);
    } catch (cause) {
      // The name may be free already, so the remedy has the id.
      const problem = `the deletion of ${name} (${ownerId}) is not complete: ${problemOf(cause)}`;
      const remedy = `run "./admin owners delete ${ownerId}" to complete it`;
      throw new OperatorError(problem, { cause, remedy });
    }
    return { value: { ownerId, name, keys, deleted: true }, text: `Deleted ${name} (${ownerId}).` };
  },
};

/** Completes the deletion of an owner whose id is given. @throws NotFoundError if there was no such owner */
async function deleteRest(ownerId: string, stage: KeyStage): Promise<Result> {
  const gatewayKeys = isOwnerId(ownerId) ? await deleteGatewayKeys(ownerId, stage) : 0;
  const wasDeleted = isOwnerId(ownerId) && (await readHistory(ownerId, stage)).length > 0;
  if (gatewayKeys > 0 || wasDeleted) {
    const rest = gatewayKeys > 0 ? `, except for ${counted(gatewayKeys, 'API Gateway key')}` : '';
    const text = `${ownerId} was already deleted${rest}.`;
    return { value: { ownerId, keys: 0, deleted: true }, text };
  }
  throw new NotFoundError(`There is no owner ${quoted(ownerId)}`, {
    remedy:
      'if its deletion was interrupted, "./admin owners repair" deletes the API Gateway keys that are left',
  });
}
