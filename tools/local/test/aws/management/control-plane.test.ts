import { beforeEach, describe, expect, it } from '@jest/globals';
import { ControlPlane } from '../../../aws/management/control-plane.ts';
import { addKey } from '../small-template.ts';

const usagePlanId = 'plan';
let plane: ControlPlane;

beforeEach(() => {
  plane = new ControlPlane([usagePlanId]);
  addKey(plane, 'ann');
  addKey(plane, 'disabled', false);
  plane.createApiKey({ name: 'other', value: 'other', enabled: true });
});

it('the control plane refuses a value that has a key, and a plan or a key that does not exist', () => {
  const { id: keyId } = plane.findKey('other')!;

  const create = () => plane.createApiKey({ name: 'more', value: 'other', enabled: true });
  const add = (member: object) => () => plane.createUsagePlanKey({ usagePlanId, keyId, ...member });

  expect(create).toThrow(expect.objectContaining({ name: 'ConflictException' }));
  for (const member of [{ usagePlanId: 'x' }, { keyId: 'x' }]) {
    expect(add(member)).toThrow(expect.objectContaining({ name: 'NotFoundException' }));
  }
});

describe('a usage plan', () => {
  it('admits a key in the plan', () => {
    expect(plane.meter('ann').name).toBe('ann');
  });

  it.each([
    ['a missing key', undefined],
    ['an unknown key', 'none'],
    ['a key in no plan', 'other'],
    ['a disabled key', 'disabled'],
  ])('refuses %s', (_, value) => {
    const refused = expect.objectContaining({ type: 'INVALID_API_KEY' });

    expect(() => plane.meter(value)).toThrow(refused);
  });
});
