import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GatewayFault } from '../../../local/exchange/gateway-fault.ts';
import {
  type GatewayKey,
  type QuotaUsage,
  readUsagePlans,
  UsageMeter,
  type UsagePlan,
} from '../../../local/gateway/usage-plan.ts';
import { createTemplate } from '../small-template.ts';

const method = { apiId: 'api', stage: 'test', resourcePath: '/orders', httpMethod: 'GET' };
const keys: GatewayKey[] = [
  { id: 'k1', value: 'value-1', isEnabled: true },
  { id: 'k2', value: 'value-2', isEnabled: true },
  { id: 'disabled', value: 'value-disabled', isEnabled: false },
  { id: 'planless', value: 'value-planless', isEnabled: true },
];
const planStage = { ApiId: 'api', Stage: 'test' };
const one = { RateLimit: 1, BurstLimit: 1 };
const registry = {
  findKey: (value: string) => keys.find((key) => key.value === value),
  isInPlan: (keyId: string) => keyId !== 'planless',
};

let time: number;

beforeEach(() => {
  time = Date.UTC(2026, 10, 20, 12);
});

function plans(properties: object): UsagePlan[] {
  const Properties = { ApiStages: [planStage], ...properties };
  return readUsagePlans(
    createTemplate({ Plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties } }),
  );
}

function meter(properties: object, usage: QuotaUsage = {}, onCount?: () => void): UsageMeter {
  return new UsageMeter(plans(properties), registry, () => time, usage, onCount);
}

function admit(usage: UsageMeter, value: string | undefined = 'value-1', to = method): string {
  try {
    usage.admit(value, to);
    return 'admitted';
  } catch (error) {
    return (error as GatewayFault).type;
  }
}

const admitTimes = (usage: UsageMeter, times: number) =>
  Array.from({ length: times }, () => admit(usage));

describe('usage plan', () => {
  it('gives the key that a request is counted under', () => {
    expect(meter({}).admit('value-1', method)).toEqual(keys[0]);
  });

  it.each([
    ['no key', undefined],
    ['an unknown key', 'value-unknown'],
    ['a disabled key', 'value-disabled'],
    ['a key in no plan', 'value-planless'],
  ])('refuses %s: INVALID_API_KEY', (_, value) => {
    expect(admit(meter({}), value ?? '')).toBe('INVALID_API_KEY');
    expect(() => meter({}).admit(value, method)).toThrow(GatewayFault);
  });

  it.each([
    ['another stage', {}, { ...method, stage: 'other' }],
    ['another API', {}, { ...method, apiId: 'other' }],
    ['no stage at all', { ApiStages: undefined }, method],
  ])('refuses a key whose plan is for %s', (_, properties, used) => {
    expect(admit(meter(properties), 'value-1', used)).toBe('INVALID_API_KEY');
  });

  it('has the name that the template gives it, or else its logical id', () => {
    const named = plans({ UsagePlanName: 'free' });

    expect([...named, ...plans({})].map(({ name }) => name)).toEqual(['free', 'Plan']);
  });

  it('admits a burst, then as many as its rate refills', () => {
    const usage = meter({ Throttle: { RateLimit: 2, BurstLimit: 3 } });

    expect(admitTimes(usage, 4)).toEqual(['admitted', 'admitted', 'admitted', 'THROTTLED']);
    time += 499;
    expect(admit(usage)).toBe('THROTTLED');
    time += 1;
    expect(admitTimes(usage, 2)).toEqual(['admitted', 'THROTTLED']);
    time += 60_000;
    expect(admitTimes(usage, 4)).toEqual(['admitted', 'admitted', 'admitted', 'THROTTLED']);
  });

  it.each([
    ['the rate of its plan', { Throttle: one }],
    ['the rate of its method', { ApiStages: [{ ...planStage, Throttle: { '/orders/GET': one } }] }],
    ['its quota', { Quota: { Limit: 1, Period: 'DAY' } }],
  ])('holds each key by itself to %s', (_, properties) => {
    const usage = meter(properties);

    admit(usage);

    expect(admit(usage)).not.toBe('admitted');
    expect(admit(usage, 'value-2')).toBe('admitted');
  });

  it('does not fill twice when the clock goes back', () => {
    const usage = meter({ Throttle: one });

    admit(usage);
    time -= 60_000;
    expect(admit(usage)).toBe('THROTTLED');
    time += 60_000;
    expect(admit(usage)).toBe('THROTTLED');
  });

  it('throttles a single method where it says so', () => {
    const Throttle = { '/orders/GET': one };
    const usage = meter({ ApiStages: [{ ...planStage, Throttle }] });

    expect(admitTimes(usage, 2)).toEqual(['admitted', 'THROTTLED']);
    expect(admit(usage, 'value-1', { ...method, httpMethod: 'POST' })).toBe('admitted');
  });

  it.each([
    ['DAY', '2026-11-20', '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00Z'],
    ['WEEK', '2026-11-15', '2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00Z'],
    ['MONTH', '2026-11-01', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z'],
  ])('has a quota that begins anew each %s, in UTC', (Period, first, last, next) => {
    const counts: QuotaUsage = {};
    const usage = meter({ Quota: { Limit: 2, Period } }, counts);

    expect(admitTimes(usage, 3)).toEqual(['admitted', 'admitted', 'QUOTA_EXCEEDED']);
    expect(Object.values(counts)).toEqual([{ period: first, count: 2 }]);
    time = Date.parse(last);
    expect(admit(usage)).toBe('QUOTA_EXCEEDED');
    time = Date.parse(next);
    expect(admit(usage)).toBe('admitted');
  });

  it('does not count a throttled request against the quota', () => {
    const usage = meter({
      Throttle: one,
      Quota: { Limit: 2, Period: 'DAY' },
    });

    admitTimes(usage, 5);
    time += 1_000;

    expect(admit(usage)).toBe('admitted');
  });

  it('tells of each request that counts against a quota, so that it can be stored', () => {
    const onCount = jest.fn();

    admitTimes(meter({ Quota: { Limit: 2, Period: 'DAY' } }, {}, onCount), 3);

    expect(onCount).toHaveBeenCalledTimes(2);
  });

  it('goes on counting where an earlier run left off', () => {
    const usage: QuotaUsage = {};
    admitTimes(meter({ Quota: { Limit: 3, Period: 'DAY' } }, usage), 2);

    const later = meter({ Quota: { Limit: 3, Period: 'DAY' } }, JSON.parse(JSON.stringify(usage)));

    expect(admitTimes(later, 2)).toEqual(['admitted', 'QUOTA_EXCEEDED']);
  });

  it.each([
    ['a quota with an offset', { Quota: { Limit: 1, Period: 'DAY', Offset: 1 } }, 'Quota.Offset'],
    [
      'a stage with an unknown property',
      { ApiStages: [{ ...planStage, Weight: 1 }] },
      'ApiStages.Weight',
    ],
    ['a burst without a rate', { Throttle: { BurstLimit: 1 } }, 'a burst without a rate'],
    ['a rate without a burst', { Throttle: { RateLimit: 1 } }, 'a rate without a burst'],
  ])('refuses %s, naming the plan', (_, properties, message) => {
    expect(() => meter(properties)).toThrow(new RegExp(`^Plan: .*${message}`));
  });
});
