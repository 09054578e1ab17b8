import { type PlanName, plans } from '../../lib/settings/plans.ts';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';
import type { AgreedLimits } from './stored-owner.ts';

export interface OwnerLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

const fields = ['perMinute', 'perDay'] as const;

/** The options that set these fields, as they are typed. */
export const optionOf = { perMinute: '--per-minute', perDay: '--per-day' } as const;

/**
 * The limits that an owner of a plan gets: those asked for, or the plan's own.
 *
 * No owner may have more than its plan: the plan's usage plan would cut it off before its own limits
 * do. A plan whose limits are agreed per owner has none of its own to fall back to.
 *
 * @throws OperatorError when a limit is missing or outside of the plan's range
 */
export function limitsFor(planName: PlanName, asked: Partial<OwnerLimits>): OwnerLimits {
  return {
    perMinute: limitFor(planName, 'perMinute', asked.perMinute),
    perDay: limitFor(planName, 'perDay', asked.perDay),
  };
}

/** What an owner's details hold of the limits asked for: those that are not simply the plan's. */
export function agreedLimits(plan: PlanName, asked: Partial<OwnerLimits>): AgreedLimits {
  const own = fields.filter((field) => asked[field] !== undefined);
  return { plan, ...Object.fromEntries(own.map((field) => [field, asked[field]])) };
}

/**
 * The limits of an owner by its plan's present numbers: what was agreed, but never more than the
 * plan, and the plan's own for the rest.
 *
 * @param current the limits it has, kept where the plan has none of its own and nothing is agreed
 */
export function presentLimits(
  { plan: name, ...agreed }: AgreedLimits,
  current: OwnerLimits,
): OwnerLimits {
  const plan = plans[name];
  const own = plan.limitsPerOwner ? current : plan;
  const limit = (field: keyof OwnerLimits) => Math.min(agreed[field] ?? own[field], plan[field]);
  return { perMinute: limit('perMinute'), perDay: limit('perDay') };
}

/** Whether an owner's item has just this plan and these limits. */
export function hasLimits(
  item: (OwnerLimits & { plan: string }) | undefined,
  plan: PlanName,
  { perMinute, perDay }: OwnerLimits,
): boolean {
  return item?.plan === plan && item.perMinute === perMinute && item.perDay === perDay;
}

function limitFor(planName: PlanName, field: keyof OwnerLimits, asked: number | undefined): number {
  const plan = plans[planName];
  if (asked === undefined) {
    if (!plan.limitsPerOwner) return plan[field];
    throw new OperatorError(`${optionOf[field]}: missing`, {
      remedy: `the ${planName} plan has no limits of its own, give --per-minute and --per-day`,
    });
  }
  if (Number.isSafeInteger(asked) && asked >= 1 && asked <= plan[field]) return asked;
  throw new InvalidValueError(
    optionOf[field],
    asked,
    `a whole number from 1 to ${plan[field]}, the most that the ${planName} plan allows`,
  );
}
