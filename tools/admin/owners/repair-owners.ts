import { isPlanName } from '../../../lib/settings/plans.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { allOwners } from '../stored/find-owner.ts';
import type { StoredOwner } from '../stored/stored-owner.ts';
import { alignGatewayKey } from './set-owner-plan.ts';

/**
 * Puts every owner's API Gateway key into the usage plan of the owner's plan, for example after tables were restored.
 *
 * @returns `repaired`: the owners whose keys were not in this usage plan. `leftOut`: the owners that are incomplete, or
 *   whose plan does not exist
 */
export async function repairOwners(stage: KeyStage) {
  const owners = await allOwners(stage);
  const isClear = ({ item }: StoredOwner) => item !== undefined && isPlanName(item.plan);
  const repaired: StoredOwner[] = [];
  for (const owner of owners.filter(isClear)) {
    const { wasMoved } = await alignGatewayKey(owner.details.ownerId, stage);
    if (wasMoved) repaired.push(owner);
  }
  return { repaired, leftOut: owners.filter((owner) => !isClear(owner)) };
}
