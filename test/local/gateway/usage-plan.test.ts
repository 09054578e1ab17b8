import { beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayFault } from '../../../local/exchange/gateway-fault.ts';
import {
  type GatewayKey,
  type QuotaUsage,
  readUsagePlans,
  UsageMeter,
} from '../../../local/gateway/usage-plan.ts';
import { createTemplate } from '../small-template.ts';

const method = { apiId: 'api', stage: 'test', resourcePath: '/orders', httpMethod: 'GET' };
const keys: GatewayKey[] = [
  { id: 'k1', value: 'value-1', isEnabled: true },
  { id: 'k2', value: 'value-2', isEnabled: true },
  { id: 'disabled', value: 'value-disabled', isEnabled: false },
  { id: 'planless', value: 'value-planless', isEnabled: true },
];
const registry = {
  findKey: (value: string) => keys.find((key) => key.value === value),
  isInPlan: (keyId: string) => keyId !== 'planless',
};

let time: number;

beforeEach(() => {
  time = Date.UTC(2026, 10, 20, 12);
});

function meter(properties: object, usage: QuotaUsage = {}): UsageMeter {
  const ApiStages = [{ ApiId: 'api', Stage: 'test' }];
  const Properties = { ApiStages, ...properties };
  const template = createTemplate({ Plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties } });
  return new UsageMeter(readUsagePlans(template), registry, () => time, usage);
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

  it('refuses a key whose plan is for another stage', () => {
    expect(admit(meter({}), 'value-1', { ...method, stage: 'other' })).toBe('INVALID_API_KEY');
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

  it('throttles each key by itself', () => {
    const usage = meter({ Throttle: { RateLimit: 1, BurstLimit: 1 } });

    admit(usage);

    expect(admit(usage, 'value-2')).toBe('admitted');
  });

  it('does not fill twice when the clock goes back', () => {
    const usage = meter({ Throttle: { RateLimit: 1, BurstLimit: 1 } });

    admit(usage);
    time -= 60_000;
    expect(admit(usage)).toBe('THROTTLED');
    time += 60_000;
    expect(admit(usage)).toBe('THROTTLED');
  });

  it('throttles a single method where it says so', () => {
    const Throttle = { '/orders/GET': { RateLimit: 1, BurstLimit: 1 } };
    const usage = meter({ ApiStages: [{ ApiId: 'api', Stage: 'test', Throttle }] });

    expect(admitTimes(usage, 2)).toEqual(['admitted', 'THROTTLED']);
    expect(admit(usage, 'value-1', { ...method, httpMethod: 'POST' })).toBe('admitted');
  });

  it.each([
    ['DAY', '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00Z'],
    ['WEEK', '2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00Z'],
    ['MONTH', '2026-11-30T23:59:59.999Z', '2026-12-01T00:00:00Z'],
  ])('has a quota that begins anew each %s, in UTC', (Period, last, next) => {
    const usage = meter({ Quota: { Limit: 2, Period } });

    expect(admitTimes(usage, 3)).toEqual(['admitted', 'admitted', 'QUOTA_EXCEEDED']);
    time = Date.parse(last);
    expect(admit(usage)).toBe('QUOTA_EXCEEDED');
    time = Date.parse(next);
    expect(admit(usage)).toBe('admitted');
  });

  it('does not count a throttled request against the quota', () => {
    const usage = meter({
      Throttle: { RateLimit: 1, BurstLimit: 1 },
      Quota: { Limit: 2, Period: 'DAY' },
    });

    admitTimes(usage, 5);
    time += 1_000;

    expect(admit(usage)).toBe('admitted');
  });

  it('goes on counting where an earlier run left off', () => {
    const usage: QuotaUsage = {};
    admitTimes(meter({ Quota: { Limit: 3, Period: 'DAY' } }, usage), 2);

    const later = meter({ Quota: { Limit: 3, Period: 'DAY' } }, JSON.parse(JSON.stringify(usage)));

    expect(admitTimes(later, 2)).toEqual(['admitted', 'QUOTA_EXCEEDED']);
  });

  it.each([
    ['a quota with an offset', { Quota: { Limit: 1, Period: 'DAY', Offset: 1 } }, 'Quota.Offset'],
    ['a rate without a burst', { Throttle: { RateLimit: 1 } }, 'a rate without a burst'],
  ])('refuses %s, naming the plan', (_, properties, message) => {
    expect(() => meter(properties)).toThrow(new RegExp(`^Plan: .*${message}`));
  });
});
