import { isPlanName } from '../../lib/settings/plans.ts';
import type { KeyStore } from '../stage/key-store.ts';
import { allOwners } from './find-owner.ts';
import { withHalfDoneError } from './half-done.ts';
import { hasLimits, type OwnerLimits, presentLimits } from './owner-limits.ts';
import { setLimits } from './set-owner-plan.ts';
import type { CompleteOwner, StoredOwner } from './stored-owner.ts';

/** An owner whose limits differ from the current numbers of its plan. */
export interface OutdatedOwner {
  readonly owner: CompleteOwner;
  readonly limits: OwnerLimits;
}

interface PlanReview {
  readonly outdated: OutdatedOwner[];
  /**
   * Owners whose plan is unknown, because their move to another one was interrupted or it is no longer
   * in the table of plans.
   */
  readonly unclear: CompleteOwner[];
}

/** Compares every owner's limits with the current numbers of its plan. */
export async function reviewPlans(store: KeyStore): Promise<PlanReview> {
  const owners = (await allOwners(store)).filter(isComplete);
  const unclear = owners.filter(
    ({ details, item }) => details.agreed.plan !== item.plan || !isPlanName(item.plan),
  );
  const outdated = owners
    .filter((owner) => !unclear.includes(owner))
    .map((owner) => ({ owner, limits: presentLimits(owner.details.agreed, owner.item) }))
    .filter(({ owner: { item }, limits }) => !hasLimits(item, item.plan, limits));
  return { outdated, unclear };
}

/**
 * Sets the limits of owners to the current numbers of their plans, with one conditional write each.
 * If it is interrupted, it can be run again for the remaining owners.
 *
 * @throws OperatorError when DynamoDB fails, or an owner was changed meanwhile
 */
export async function applyPlans(outdated: readonly OutdatedOwner[], store: KeyStore) {
  await withHalfDoneError('The plans may be applied to some owners only', async () => {
    for (const { owner, limits } of outdated) {
      await setLimits(owner, owner.item.plan, limits, store);
    }
  });
}

function isComplete(owner: StoredOwner): owner is CompleteOwner {
  return owner.item !== undefined;
}
