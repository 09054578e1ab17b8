import { isPlanName, type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import type { AgreedLimits, CompleteOwner, StoredOwner } from '../stored/stored-owner.ts';

export interface OwnerLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

const optionOf = { perMinute: '--per-minute', perDay: '--per-day' } as const;

/** The agreed limits, otherwise the plan's. @throws OperatorError if one is missing, or higher than the plan's */
export function limitsFor({ plan, perMinute, perDay }: AgreedLimits): OwnerLimits {
  return {
    perMinute: limitFor(plan, 'perMinute', perMinute),
    perDay: limitFor(plan, 'perDay', perDay),
  };
}

/** The command that gives an owner a plan and limits. */
export function setPlanCommand(ownerId: string, { plan, perMinute, perDay }: AgreedLimits): string {
  const words = ['owners set-plan', ownerId, plan];
  if (perMinute !== undefined) words.push(optionOf.perMinute, `${perMinute}`);
  if (perDay !== undefined) words.push(optionOf.perDay, `${perDay}`);
  return words.join(' ');
}

/** Today's limits of an owner. If its plan requires agreed limits and there are none, `current` remain. */
function updatedLimits({ plan: name, ...agreed }: AgreedLimits, current: OwnerLimits): OwnerLimits {
  const plan = plans[name];
  const own = plan.limitsPerOwner ? current : plan;
  const limit = (field: keyof OwnerLimits) => Math.min(agreed[field] ?? own[field], plan[field]);
  return { perMinute: limit('perMinute'), perDay: limit('perDay') };
}

/**
 * Finds the owners whose limits are not the current ones of their plan, and those that are `unclear`: incomplete,
 * or with a plan that is not the agreed one or no longer exists.
 */
export function reviewPlans(owners: readonly StoredOwner[]) {
  const isClear = (owner: StoredOwner): owner is CompleteOwner =>
    owner.details.agreed.plan === owner.item?.plan && isPlanName(owner.item.plan);
  const clear = owners.filter(isClear);
  const outdated = clear
    .map((owner) => ({ owner, limits: updatedLimits(owner.details.agreed, owner.item) }))
    .filter(({ owner: { item }, limits }) => !hasLimits(item, item.plan, limits));
  return { outdated, clear, unclear: owners.filter((owner) => !isClear(owner)) };
}

/** Whether an owner's item has exactly this plan and these limits. */
export function hasLimits(
  item: (OwnerLimits & { plan: string }) | undefined,
  plan: PlanName,
  { perMinute, perDay }: OwnerLimits,
): boolean {
  return item?.plan === plan && item.perMinute === perMinute && item.perDay === perDay;
}

/**
 * Completes a request for a plan with agreed limits: those that it does not name stay as they are. If it names none
 * and moves the owner to the plan, none are added.
 */
export function withPresentLimits(
  asked: AgreedLimits,
  present: OwnerLimits & { readonly plan: string },
): AgreedLimits {
  const { plan, perMinute = present.perMinute, perDay = present.perDay } = asked;
  const namesNone = asked.perMinute === undefined && asked.perDay === undefined;
  const isMove = present.plan !== plan;
  return !plans[plan].limitsPerOwner || (namesNone && isMove) ? asked : { plan, perMinute, perDay };
}

function limitFor(planName: PlanName, field: keyof OwnerLimits, asked: number | undefined): number {
  const plan = plans[planName];
  if (asked === undefined) {
    if (!plan.limitsPerOwner) return plan[field];
    throw new OperatorError(`${optionOf[field]}: missing`, {
      remedy: `the ${planName} plan has no default limits: give --per-minute and --per-day`,
    });
  }
  if (asked <= plan[field]) return asked;
  const larger = planNames.find((name) => asked <= plans[name][field]);
  const hint = larger ? `; the ${larger} plan allows it` : '';
  throw new InvalidValueError(
    optionOf[field],
    asked,
    `a whole number from 1 to ${plan[field]}, the maximum of the ${planName} plan${hint}`,
  );
}
