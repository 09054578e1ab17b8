import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../../lib/settings/names.ts';
import { planNames, plans } from '../../../lib/settings/plans.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const account = { BurstLimit: 5_000, RateLimit: 10_000 };

describe.each(stageNames)('usage plans of %s', (stage) => {
  it('back up every plan, wider than its limits and no wider than an account can honour', () => {
    const usagePlans = properties(stage, 'AWS::ApiGateway::UsagePlan');

    const expected = planNames.map((name) => [
      `UsagePlans${capitalized(name)}`,
      usagePlan(plans[name], name),
    ]);
    expect(usagePlans).toEqual(Object.fromEntries(expected));
  });

  function usagePlan({ perMinute, perDay }: { perMinute: number; perDay: number }, name: string) {
    return {
      ApiStages: [
        { ApiId: '${ApiRestApi}', Stage: `\${ApiRestApiDeploymentStage${stage}}`, Throttle: {} },
      ],
      Description: `Plan ${name}: ${perMinute} requests a minute, ${perDay} a day`,
      Quota: { Limit: Math.ceil(1.2 * perDay), Period: 'DAY' },
      Throttle:
        2 * perMinute <= account.BurstLimit
          ? { BurstLimit: 2 * perMinute, RateLimit: perMinute / 60 }
          : account,
      // docs/iam/operator-policy.json distinguishes the stages by this tag.
      Tags: [{ Key: 'store-orders-stack', Value: `StoreOrders-${stage}` }],
    };
  }
});
