import { describe, expect, it } from '@jest/globals';
import { type Plan, type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';
import { differences } from '../../helpers/differences.ts';

describe('plans', () => {
  it.each<[PlanName, number, number]>([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ])('R20: give the plan %s %i requests a minute and %i a day', (name, perMinute, perDay) => {
    const requirements = 'docs/requirements.md, R20, and owners that exist (owners apply-plans)';
    const limits = (plan: Pick<Plan, 'perMinute' | 'perDay'>) => [
      `${plan.perMinute} a minute, ${plan.perDay} a day`,
    ];

    expect(
      differences(
        ['lib/settings/plans.ts', limits(plans[name])],
        [requirements, limits({ perMinute, perDay })],
      ),
    ).toEqual([]);
    expect(plans[name].limitsPerOwner).toBe(false);
  });

  it('R21, I26: leave the limits of enterprise open, up to what one item can count', () => {
    const dynamoDbWritesPerSecondAndPartition = 1_000;

    expect(plans.enterprise.limitsPerOwner).toBe(true);
    expect(plans.enterprise.perMinute).toBeLessThanOrEqual(
      dynamoDbWritesPerSecondAndPartition * 60,
    );
  });

  it.each(planNames)('I25: tolerates more rejections than requests before it bans: %s', (name) => {
    const { perMinute, toleratedRejectionsPerMinute, limitsPerOwner, banSeconds } = plans[name];

    expect(banSeconds).toBe(300);
    if (!limitsPerOwner) expect(toleratedRejectionsPerMinute).toBe(3 * perMinute);
  });
});
