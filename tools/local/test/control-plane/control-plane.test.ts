import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { ControlPlane } from '../../control-plane/control-plane.ts';
import { DataDirectory } from '../../state/data-directory.ts';

const usagePlans = ['free', 'pro'].map((id) => ({ id, throttle: undefined, perDay: undefined }));
const key = { name: 'one', value: 'value-1', enabled: true };

const parent = temporaryDirectoryOfEachTest();
let directory: DataDirectory;
let plane: ControlPlane;

beforeEach(() => {
  directory = new DataDirectory(parent.path);
  plane = new ControlPlane(usagePlans, directory);
});

afterEach(() => directory.release());

describe('control plane', () => {
  it('deletes a key and removes it from its usage plan', () => {
    const { id } = plane.createApiKey(key);
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    plane.deleteApiKey(id);

    expect(plane.findKey(key.value)).toBeUndefined();
    expect(plane.isInPlan(id, 'free')).toBe(false);
  });

  it('removes a key from its plan, and no other key', () => {
    const ids = ['one', 'two'].map((name) => plane.createApiKey({ ...key, name, value: name }).id);
    for (const keyId of ids) plane.createUsagePlanKey({ usagePlanId: 'free', keyId });

    plane.deleteUsagePlanKey({ usagePlanId: 'free', keyId: ids[0]! });

    expect(ids.map((id) => plane.isInPlan(id, 'free'))).toEqual([false, true]);
  });

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
  ])('refuses %s', (_, call, type) => {
    const { id } = plane.createApiKey(key);
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    expect(() => call(id)).toThrow(expect.objectContaining({ name: 'ControlPlaneError', type }));
  });

  it('continues with the keys that an earlier run has stored', () => {
    const { id } = plane.createApiKey(key);
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    const later = new ControlPlane(usagePlans, directory);

    expect(later.findKey(key.value)).toEqual({ id, ...key });
    expect(later.getUsagePlans({ keyId: id }).map((each) => each.id)).toEqual(['free']);
  });

  it('does not make a change that cannot be stored', () => {
    jest.spyOn(directory, 'write').mockImplementationOnce(() => {
      throw new Error('no room');
    });

    expect(() => plane.createApiKey(key)).toThrow('no room');

    expect(plane.getApiKeys()).toEqual([]);
  });

  it('stops the run if its file is damaged', () => {
    writeFileSync(directory.pathOf('gateway.json'), '{"half');

    expect(() => new ControlPlane(usagePlans, directory)).toThrow(
      /gateway\.json is damaged .*: restore a copy of it/,
    );
  });
});
