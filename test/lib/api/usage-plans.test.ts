import { describe, expect, it } from '@jest/globals';
import { plans } from '../../../lib/settings/plans.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

describe.each(stageNames)('usage plans of %s', (stage) => {
  it('back up every plan: its rate, two minutes of burst, its daily quota', () => {
    const usagePlans = properties(stage, 'AWS::ApiGateway::UsagePlan');

    expect(usagePlans).toEqual({
      UsagePlansFree: usagePlan(plans.free, 'free'),
      UsagePlansPro: usagePlan(plans.pro, 'pro'),
      UsagePlansBusiness: usagePlan(plans.business, 'business'),
      UsagePlansEnterprise: usagePlan(plans.enterprise, 'enterprise'),
    });
  });

  function usagePlan({ perMinute, perDay }: { perMinute: number; perDay: number }, name: string) {
    return {
      ApiStages: [
        { ApiId: '${ApiRestApi}', Stage: `\${ApiRestApiDeploymentStage${stage}}`, Throttle: {} },
      ],
      Description: `Plan ${name}: ${perMinute} requests a minute, ${perDay} a day`,
      Quota: { Limit: perDay, Period: 'DAY' },
      Throttle: { BurstLimit: 2 * perMinute, RateLimit: perMinute / 60 },
    };
  }
});
