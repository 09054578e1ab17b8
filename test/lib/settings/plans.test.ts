import { describe, expect, it } from '@jest/globals';
import { type PlanName, planNames, plans } from '../../../lib/settings/plans.ts';

describe('plans', () => {
  it.each<[PlanName, number, number]>([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ])('Limits, plan %s: %i requests a minute, %i a day', (name, perMinute, perDay) => {
    expect(plans[name]).toMatchObject({ perMinute, perDay, limitsPerOwner: false });
  });

  it('Limits, plan enterprise: custom, up to what one item can count', () => {
    const dynamoDbWritesPerSecondAndPartition = 1_000;

    expect(plans.enterprise.limitsPerOwner).toBe(true);
    expect(plans.enterprise.perMinute).toBeLessThanOrEqual(
      dynamoDbWritesPerSecondAndPartition * 60,
    );
  });

  it.each(planNames)('tolerates more rejections than requests before it bans: %s', (name) => {
    const { perMinute, toleratedRejectionsPerMinute, limitsPerOwner, banSeconds } = plans[name];

    expect(banSeconds).toBe(300);
    if (!limitsPerOwner) expect(toleratedRejectionsPerMinute).toBe(3 * perMinute);
  });
});
