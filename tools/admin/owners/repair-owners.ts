import { gatewayKeyValue } from '../../../lambdas/keys/owner-record.ts';
import { isPlanName } from '../../../lib/settings/plans.ts';
import { WrongStateError } from '../../shared/errors.ts';
import { counted } from '../console/view.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { allOwners } from '../stored/find-owner.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';
import { ensureGatewayKey, findGatewayKeys } from './gateway-key.ts';

/**
 * Ensures that every owner has the API Gateway key of its plan, for example after tables were restored, and deletes the
 * API Gateway keys of owners that do not exist.
 *
 * @returns `repaired`: the owners that lacked this key. `leftOut`: the owners that are incomplete, or whose plan does
 *   not exist. `deletedKeys`: the number of deleted keys
 * @throws WrongStateError if there are keys and no owners: an empty table must not lead to the deletion of all keys
 */
export async function repairOwners(stage: KeyStage) {
  // Read before the owners, so the key of an owner that is created at the same time is not in this list.
  const gatewayKeys = await findGatewayKeys(stage);
  const owners = await allOwners(stage);
  const [first] = gatewayKeys;
  if (first && owners.length === 0) {
    const keys = counted(gatewayKeys.length, 'API Gateway key');
    throw new WrongStateError(`nothing was changed: there are no owners, but ${keys} of owners`, {
      remedy: `restore the owners; or, if they were deleted, "./admin owners delete ${first.ownerId}" deletes the keys of the first`,
    });
  }
  const ids = new Map(gatewayKeys.map(({ value, id }) => [value, id]));
  const repaired: StoredOwner[] = [];
  const leftOut: StoredOwner[] = [];
  for (const owner of owners) {
    const { ownerId } = owner.details;
    const plan = owner.item?.plan;
    if (plan === undefined || !isPlanName(plan)) leftOut.push(owner);
    else {
      const knownId = ids.get(gatewayKeyValue(ownerId, plan));
      if (await ensureGatewayKey(ownerId, plan, stage, knownId)) repaired.push(owner);
    }
  }
  const known = new Set(owners.map(({ details }) => details.ownerId));
  const orphans = gatewayKeys.filter(({ ownerId }) => !known.has(ownerId));
  for (const { id } of orphans) await stage.gateway.deleteApiKey({ apiKey: id });
  return { repaired, leftOut, deletedKeys: orphans.length };
}
