import { beforeEach, describe, expect, it } from '@jest/globals';
import { ControlPlane, type ControlPlaneState } from '../../control-plane/control-plane.ts';
import { plan } from './plan.ts';

const usagePlans = [plan('free'), plan('pro')];
const value = 'a-value-of-twenty-characters';

let saved: ControlPlaneState | undefined;
let plane: ControlPlane;

beforeEach(() => {
  saved = undefined;
  plane = new ControlPlane({
    usagePlans,
    now: () => 5_000_900,
    onChange: (state) => {
      saved = structuredClone(state);
    },
  });
});

describe('control plane', () => {
  it('creates a key', () => {
    const key = plane.createApiKey({ name: 'one', value, enabled: true });

    expect(key).toMatchObject({ name: 'one', value, enabled: true, createdDate: 5_000 });
    expect(key.lastUpdatedDate).toBe(5_000);
    expect(key.id).toMatch(/^[0-9a-z]{10}$/);
    expect(plane.getApiKeys()).toEqual([key]);
    expect(plane.findKey(value)).toEqual({ id: key.id, value, isEnabled: true });
  });

  it('creates a key that is disabled, with a value of its own, unless it is told otherwise', () => {
    const { enabled, name, value: generated } = plane.createApiKey({});

    expect([enabled, name]).toEqual([false, '']);
    expect(plane.findKey(generated)?.isEnabled).toBe(false);
    expect(generated).toMatch(/^[\w-]{40}$/);
  });

  it.each([20, 128])('creates a key with a value of %d characters', (length) => {
    const long = 'x'.repeat(length);

    expect(plane.createApiKey({ value: long }).value).toBe(long);
  });

  it('lists keys by the beginning of their names', () => {
    for (const name of ['a-1', 'a-2', 'b-1']) plane.createApiKey({ name });

    expect(plane.getApiKeys({ nameQuery: 'a-' }).map(({ name }) => name)).toEqual(['a-1', 'a-2']);
    expect(plane.getApiKeys()).toHaveLength(3);
  });

  it('deletes a key, also from its usage plan', () => {
    const { id } = plane.createApiKey({ value });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    plane.deleteApiKey(id);

    expect(plane.findKey(value)).toBeUndefined();
    expect(plane.isInPlan(id, 'free')).toBe(false);
  });

  it('puts a key into a usage plan and takes it out again', () => {
    const { id } = plane.createApiKey({ value });

    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });
    expect(plane.getUsagePlans({ keyId: id }).map((each) => each.id)).toEqual(['free']);

    plane.deleteUsagePlanKey({ usagePlanId: 'free', keyId: id });
    expect(plane.getUsagePlans({ keyId: id })).toEqual([]);
  });

  it.each<[string, (plane: ControlPlane, keyId: string) => unknown, string, string]>([
    [
      'a value below 20 characters',
      (p) => p.createApiKey({ value: 'x'.repeat(19) }),
      'BadRequestException',
      'at least 20 and at most 128 characters',
    ],
    [
      'a value above 128 characters',
      (p) => p.createApiKey({ value: 'x'.repeat(129) }),
      'BadRequestException',
      'at least 20 and at most 128 characters',
    ],
    [
      'a value that is taken',
      (p) => p.createApiKey({ value }),
      'ConflictException',
      'API Key already exists',
    ],
    [
      'the deletion of an unknown key',
      (p) => p.deleteApiKey('x'),
      'NotFoundException',
      'Invalid API Key identifier specified',
    ],
    [
      'an unknown plan',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'x', keyId }),
      'NotFoundException',
      'Invalid Usage Plan ID specified',
    ],
    [
      'an unknown key for a plan',
      (p) => p.createUsagePlanKey({ usagePlanId: 'pro', keyId: 'x' }),
      'NotFoundException',
      'Invalid API Key identifier specified',
    ],
    [
      'a key that is in the plan already',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'free', keyId }),
      'ConflictException',
      'Usage Plan key already exists',
    ],
    [
      'a second plan of the same stage',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'pro', keyId }),
      'ConflictException',
      'cannot be added to a second usage plan of the same stage',
    ],
    [
      'the key of an unknown plan',
      (p, keyId) => p.getUsagePlanKey({ usagePlanId: 'x', keyId }),
      'NotFoundException',
      'Invalid Usage Plan Key identifier specified',
    ],
    [
      'a key that is not in the plan',
      (p, keyId) => p.deleteUsagePlanKey({ usagePlanId: 'pro', keyId }),
      'NotFoundException',
      'Invalid Usage Plan Key identifier specified',
    ],
  ])('refuses %s', (_, call, type, text) => {
    const { id } = plane.createApiKey({ value });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    const message = expect.stringContaining(text);
    const error = { name: 'ControlPlaneError', type, message };
    expect(() => call(plane, id)).toThrow(expect.objectContaining(error));
  });

  it('goes on with what an earlier run has kept', () => {
    const { id } = plane.createApiKey({ value, enabled: true });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    const later = new ControlPlane({ usagePlans, now: () => 0, state: saved });

    expect(later.findKey(value)?.id).toBe(id);
    expect(later.isInPlan(id, 'free')).toBe(true);
  });

  it('goes on without a plan that an earlier run had', () => {
    const { id } = plane.createApiKey({ value });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    const later = new ControlPlane({ usagePlans: [plan('pro')], now: () => 0, state: saved });

    expect(later.findKey(value)?.id).toBe(id);
    expect(later.getUsagePlans({ keyId: id })).toEqual([]);
  });
});
