import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { DifferentError, WrongStateError } from '../../shared/errors.ts';
import type { Verb } from '../console/verb.ts';
import { counted } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { ensureGatewayKey, findGatewayKeys } from '../store/gateway-keys.ts';
import { allOwners } from '../store/owners.ts';

export const repair: Verb = {
  usage: 'repair',
  description:
    'give every owner the API Gateway key of its plan, and delete such keys of deleted owners',
  help: `Run this command after the tables were restored or moved. If an owner's API
Gateway key is missing, the owner's requests get 503. The command can be run at
any time.`,
  examples: ['owners repair --stage prod'],
  run: async ({ stage }) => {
    const { repaired, leftOut, deletedKeys } = await repairOwners(stage);
    const [first] = leftOut;
    const problem = `${counted(leftOut.length, 'owner')} not repaired: ${leftOut.join(', ')}`;
    const remedy = `"./admin owners show ${first}" says how to repair the first`;
    const failure = first ? new DifferentError(problem, { remedy }) : undefined;
    const lines = [
      repaired.length > 0
        ? `Repaired ${counted(repaired.length, 'owner')}: ${repaired.join(', ')}`
        : `Every ${first ? 'other ' : ''}owner already had the API Gateway key of its plan.`,
      ...(deletedKeys > 0 ? [`Deleted ${counted(deletedKeys, 'key')} of deleted owners.`] : []),
    ];
    return { value: { repaired, leftOut, deletedKeys }, text: lines.join('\n'), failure };
  },
};

/**
 * Ensures that every owner has the API Gateway key of its plan, for example after tables were restored, and deletes
 * the API Gateway keys of owners that do not exist.
 *
 * @returns the ids of owners. `repaired`: the owners that lacked this key. `leftOut`: the owners whose plan does
 * not exist. `deletedKeys`: the number of deleted keys
 * @throws WrongStateError if there are keys and no owners, because an empty table must not lead to the deletion of
 * all keys
 */
export async function repairOwners(stage: KeyStage) {
  // The keys are read before the owners, so that the key of an owner that is created at the same time is not in this
  // list.
  const gatewayKeys = await findGatewayKeys(stage);
  const owners = await allOwners(stage);
  const [first] = gatewayKeys;
  if (first && owners.length === 0) {
    const keys = counted(gatewayKeys.length, 'API Gateway key');
    throw new WrongStateError(`nothing was changed: there are no owners, but ${keys} of owners`, {
      remedy: `restore the owners; or, if they were deleted, "./admin owners delete ${first.ownerId}" deletes the keys of the first owner`,
    });
  }
  const ids = new Map(gatewayKeys.map(({ value, id }) => [value, id]));
  const repaired: string[] = [];
  const leftOut: string[] = [];
  for (const { details, item } of owners) {
    const { ownerId } = details;
    if (!isPlanName(item.plan)) leftOut.push(ownerId);
    else {
      const knownId = ids.get(gatewayKeyValue(ownerId, item.plan));
      if (await ensureGatewayKey(ownerId, item.plan, stage, knownId)) repaired.push(ownerId);
    }
  }
  const known = new Set(owners.map(({ details }) => details.ownerId));
  const orphans = gatewayKeys.filter(({ ownerId }) => !known.has(ownerId));
  for (const { id } of orphans) await stage.gateway.deleteGatewayKey(id);
  return { repaired, leftOut, deletedKeys: orphans.length };
}
