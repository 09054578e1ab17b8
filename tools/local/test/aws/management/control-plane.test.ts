import { beforeEach, describe, expect, it } from '@jest/globals';
import type { GatewayFault } from '../../../aws/api-gateway/gateway-fault.ts';
import { readUsagePlans } from '../../../aws/api-gateway/usage-plan.ts';
import { ControlPlane } from '../../../aws/management/control-plane.ts';
import { addKey, createTemplate } from '../small-template.ts';

/** Meters a request for a key, and gives the name of the key. */
type Meter = (value: string | undefined) => string;

const dayMs = 86_400_000;
const noon = Date.UTC(2026, 10, 20, 12);

let nowMs: number;

beforeEach(() => {
  nowMs = noon;
});

function planeOf(properties: object, enabled = true): ControlPlane {
  const template = createTemplate({
    Plan: { Type: 'AWS::ApiGateway::UsagePlan', Properties: { ...properties } },
  });
  const plane = new ControlPlane(readUsagePlans(template), () => nowMs);
  for (const value of ['ann', 'bob']) addKey(plane, value, enabled);
  plane.createApiKey({ name: 'other', value: 'other', enabled });
  return plane;
}

function meterOf(properties: object, enabled?: boolean): Meter {
  const plane = planeOf(properties, enabled);
  return (value) => plane.meter(value).name;
}

function outcome(meter: Meter, value: string | undefined): string {
  try {
    return meter(value);
  } catch (fault) {
    return (fault as GatewayFault).type;
  }
}

/** How many of so many requests are admitted. */
function admitted(meter: Meter, requests: number, value = 'ann'): number {
  const outcomes = Array.from({ length: requests }, () => outcome(meter, value));
  return outcomes.filter((each) => each === value).length;
}

it('the control plane refuses a value that has a key, and a plan or a key that does not exist', () => {
  const plane = planeOf({});
  const usagePlanId = plane.getUsagePlans()[0]!.id;
  const { id: keyId } = plane.findKey('other')!;

  const create = () => plane.createApiKey({ name: 'more', value: 'other', enabled: true });
  const add = (member: object) => () => plane.createUsagePlanKey({ usagePlanId, keyId, ...member });

  expect(create).toThrow(expect.objectContaining({ name: 'ConflictException' }));
  for (const member of [{ usagePlanId: 'x' }, { keyId: 'x' }]) {
    expect(add(member)).toThrow(expect.objectContaining({ name: 'NotFoundException' }));
  }
});

describe('a usage plan', () => {
  it.each([
    ['admits a key in the plan', 'ann', true, 'ann'],
    ['refuses a missing key', undefined, true, 'INVALID_API_KEY'],
    ['refuses an unknown key', 'none', true, 'INVALID_API_KEY'],
    ['refuses a key in no plan', 'other', true, 'INVALID_API_KEY'],
    ['refuses a disabled key', 'ann', false, 'INVALID_API_KEY'],
  ])('%s', (_, value, enabled, expected) => {
    expect(outcome(meterOf({}, enabled), value)).toBe(expected);
  });

  it('throttles each key separately, and refills at its rate up to its burst', () => {
    const meter = meterOf({ Throttle: { RateLimit: 2, BurstLimit: 3 } });

    const counts = [admitted(meter, 5), admitted(meter, 5, 'bob')];
    expect(outcome(meter, 'ann')).toBe('THROTTLED');
    nowMs += 1_000;
    counts.push(admitted(meter, 5));
    nowMs += dayMs;
    counts.push(admitted(meter, 5));

    expect(counts).toEqual([3, 3, 2, 3]);
  });

  it('throttles no longer than usual after the clock was set back', () => {
    const meter = meterOf({ Throttle: { RateLimit: 2, BurstLimit: 3 } });
    admitted(meter, 5);

    nowMs -= 3_600_000;
    const counts = [admitted(meter, 5)];
    nowMs += 1_000;
    counts.push(admitted(meter, 5));

    expect(counts).toEqual([0, 2]);
  });

  it('has a separate quota for each key, which resets every day in UTC', () => {
    const meter = meterOf({ Quota: { Limit: 2, Period: 'DAY' } });

    const counts = [admitted(meter, 3), admitted(meter, 3, 'bob')];
    expect(outcome(meter, 'ann')).toBe('QUOTA_EXCEEDED');
    nowMs = Date.UTC(2026, 10, 20, 23, 59, 59, 999);
    counts.push(admitted(meter, 3));
    nowMs++;
    counts.push(admitted(meter, 3));

    expect(counts).toEqual([2, 2, 0, 2]);
  });

  it('does not count throttled requests against the quota', () => {
    const meter = meterOf({
      Throttle: { RateLimit: 1, BurstLimit: 1 },
      Quota: { Limit: 2, Period: 'DAY' },
    });
    admitted(meter, 5);

    nowMs += 1_000;

    expect(admitted(meter, 5)).toBe(1);
  });
});
