import { Option } from 'commander';
import { findPlan, type Limits, type Plans } from '../../../lambdas/keys/plan.ts';
import type { PlanName } from '../../../lib/settings/plans.ts';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import { wholeNumber } from '../console/option-values.ts';
import type { OwnerItem } from '../store/stored-owner.ts';

/** The plan that an owner is to get. Limits are only allowed if owners of the plan have limits of their own. */
export interface PlanRequest extends Partial<Limits> {
  readonly plan: PlanName;
}

/** The plan of an owner, and the owner's own limits if it has any. */
export type OwnerPlan = Pick<OwnerItem, 'plan'> & Partial<Limits>;

const optionOf = { perMinute: '--per-minute', perDay: '--per-day' } as const;
type LimitName = keyof typeof optionOf;
const limitNames = Object.keys(optionOf) as LimitName[];

/** The options for an owner's own limits. */
export const limitOptions = limitNames.map((limit) => {
  const per = limit === 'perMinute' ? 'minute' : 'day';
  return new Option(
    `${optionOf[limit]} <requests>`,
    `the owner's own limit per ${per}; enterprise needs it, and no other plan allows it`,
  ).argParser(wholeNumber);
});

/**
 * Returns the plan that an owner gets. If the owner is already on this plan, it keeps a limit that is not requested.
 *
 * @throws OperatorError if the stage has no such plan, or if a limit is missing, too high, or not allowed by the plan
 */
export function requestedPlan(request: PlanRequest, plans: Plans, present?: OwnerPlan): OwnerPlan {
  const { plan: name } = request;
  const plan = findPlan(name, plans);
  if (!plan) {
    throw new OperatorError(`The deployed version has no plan ${name}`, {
      remedy: 'check out the deployed commit, or deploy',
    });
  }
  if (!plan.limitsPerOwner) {
    const given = limitNames.find((limit) => request[limit] !== undefined);
    if (!given) return { plan: name };
    throw new OperatorError(`${optionOf[given]}: an owner of the ${name} plan has no own limits`, {
      remedy: 'choose the plan enterprise, or leave the option out',
    });
  }
  const kept: Partial<Limits> = present?.plan === name ? present : {};
  const ownLimit = (limit: LimitName): number => {
    const asked = request[limit];
    const most = plan[limit];
    if (asked !== undefined && asked > most) {
      const expected = `a whole number from 1 to ${most}, the maximum of the ${name} plan`;
      throw new InvalidValueError(optionOf[limit], asked, expected);
    }
    const value = asked ?? kept[limit];
    if (value !== undefined) return value;
    throw new OperatorError(`${optionOf[limit]}: missing`, {
      remedy: `an owner of the ${name} plan has its own limits, so give --per-minute and --per-day`,
    });
  };
  return { plan: name, perMinute: ownLimit('perMinute'), perDay: ownLimit('perDay') };
}
