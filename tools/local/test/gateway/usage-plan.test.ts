import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GatewayFault } from '../../exchange/gateway-fault.ts';
import {
  type MeterUsage,
  meterUsage,
  readUsagePlans,
  tokenBuckets,
} from '../../gateway/usage-plan.ts';
import { createTemplate } from '../small-template.ts';

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 10, 20, 12);

let nowMs: number;

beforeEach(() => {
  nowMs = noon;
});

function meterOf(properties: object, enabled = true): MeterUsage {
  const template = createTemplate({
    Plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties: { ...properties } },
  });
  const [plan] = readUsagePlans(template);
  const keys = {
    usage: new Map<string, number>(),
    findKey: (value: string) =>
      value === 'none' ? undefined : { id: `id-of-${value}`, value, enabled },
    isInPlan: (keyId: string, planId: string) => keyId !== 'id-of-other' && planId === plan!.id,
  };
  return meterUsage(
    [plan!],
    keys,
    tokenBuckets(() => nowMs),
    () => nowMs,
  );
}

function outcome(meter: MeterUsage, value: string | undefined): string {
  try {
    return meter(value).id;
  } catch (fault) {
    return (fault as GatewayFault).type;
  }
}

/** How many of so many requests are admitted. */
function admitted(meter: MeterUsage, requests: number, value = 'ann'): number {
  const outcomes = Array.from({ length: requests }, () => outcome(meter, value));
  return outcomes.filter((each) => each === `id-of-${value}`).length;
}

describe('a usage plan', () => {
  it.each([
    ['in the plan', 'ann', true, 'id-of-ann'],
    ['that is missing', undefined, true, 'INVALID_API_KEY'],
    ['that is unknown', 'none', true, 'INVALID_API_KEY'],
    ['in no plan', 'other', true, 'INVALID_API_KEY'],
    ['that is disabled', 'ann', false, 'INVALID_API_KEY'],
  ])('admits a request by its key: one %s', (_, value, enabled, expected) => {
    expect(outcome(meterOf({}, enabled), value)).toBe(expected);
  });

  it('throttles each key by itself, and refills at its rate up to its burst', () => {
    const meter = meterOf({ Throttle: { RateLimit: 2, BurstLimit: 3 } });

    const counts = [admitted(meter, 5), admitted(meter, 5, 'bob')];
    expect(outcome(meter, 'ann')).toBe('THROTTLED');
    nowMs += 1_000;
    counts.push(admitted(meter, 5));
    nowMs += dayMs;
    counts.push(admitted(meter, 5));

    expect(counts).toEqual([3, 3, 2, 3]);
  });

  it('has a quota for each key by itself, which begins anew each day in UTC', () => {
    const meter = meterOf({ Quota: { Limit: 2, Period: 'DAY' } });

    const counts = [admitted(meter, 3), admitted(meter, 3, 'bob')];
    expect(outcome(meter, 'ann')).toBe('QUOTA_EXCEEDED');
    nowMs = Date.UTC(2026, 10, 20, 23, 59, 59, 999);
    counts.push(admitted(meter, 3));
    nowMs++;
    counts.push(admitted(meter, 3));

    expect(counts).toEqual([2, 2, 0, 2]);
  });

  it('counts nothing against the quota that the throttle refuses', () => {
    const meter = meterOf({
      Throttle: { RateLimit: 1, BurstLimit: 1 },
      Quota: { Limit: 2, Period: 'DAY' },
    });
    admitted(meter, 5);

    nowMs += 1_000;

    expect(admitted(meter, 5)).toBe(1);
  });
});
