import { beforeEach, describe, expect, it } from '@jest/globals';
import { ControlPlane } from '../../control-plane/control-plane.ts';

const usagePlans = ['free', 'pro'].map((id) => ({ id, throttle: undefined, perDay: undefined }));
const key = { name: 'one', value: 'value-1', enabled: true };

let plane: ControlPlane;

beforeEach(() => {
  plane = new ControlPlane(usagePlans);
});

describe('control plane', () => {
  it.each<[string, (keyId: string) => unknown, string]>([
    ['a key whose value is taken', () => plane.createApiKey(key), 'ConflictException'],
    [
      'an unknown plan',
      (keyId) => plane.createUsagePlanKey({ usagePlanId: 'x', keyId }),
      'NotFoundException',
    ],
    [
      'an unknown key for a plan',
      () => plane.createUsagePlanKey({ usagePlanId: 'pro', keyId: 'x' }),
      'NotFoundException',
    ],
    [
      'a second plan of the same stage',
      (keyId) => plane.createUsagePlanKey({ usagePlanId: 'pro', keyId }),
      'ConflictException',
    ],
  ])('refuses %s', (_, call, name) => {
    const { id } = plane.createApiKey(key);
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    expect(() => call(id)).toThrow(expect.objectContaining({ name }));
  });
});
