import { type PlanName, planNames, plans } from '../../lib/settings/plans.ts';
import { InvalidValueError, OperatorError } from '../../shared/errors.ts';

export interface KeyLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** The plan of that name. @throws InvalidValueError for any other name. */
export function planNamed(name: string): PlanName {
  if ((planNames as string[]).includes(name)) return name as PlanName;
  throw new InvalidValueError('plan', name, `one of ${planNames.join(', ')}`);
}

/**
 * The limits that a key of a plan gets: those asked for, or the plan's own.
 *
 * No key may have more than its plan: the plan's usage plan would cut it off before its own limits
 * do. A plan whose limits are agreed per key has none of its own to fall back to.
 *
 * @throws OperatorError when a limit is missing or outside of the plan's range
 */
export function limitsFor(planName: PlanName, asked: Partial<KeyLimits>): KeyLimits {
  return {
    perMinute: limitFor(planName, 'perMinute', asked.perMinute),
    perDay: limitFor(planName, 'perDay', asked.perDay),
  };
}

function limitFor(planName: PlanName, field: keyof KeyLimits, asked: number | undefined): number {
  const plan = plans[planName];
  if (asked === undefined) {
    if (!plan.limitsPerKey) return plan[field];
    throw new OperatorError(
      `${field}: missing; the ${planName} plan has no limits of its own, give perMinute and perDay`,
    );
  }
  if (Number.isSafeInteger(asked) && asked >= 1 && asked <= plan[field]) return asked;
  throw new InvalidValueError(
    field,
    asked,
    `a whole number from 1 to ${plan[field]}, the most that the ${planName} plan allows`,
  );
}
