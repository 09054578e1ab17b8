import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  ControlPlane,
  type ControlPlaneState,
} from '../../../local/control-plane/control-plane.ts';
import { answerControlPlane } from '../../../local/control-plane/control-plane-http.ts';
import type { UsagePlan } from '../../../local/gateway/usage-plan.ts';
import { LocalRunError } from '../../../local/template/local-run-error.ts';

function plan(id: string, stage = 'test'): UsagePlan {
  const stages = [{ apiId: 'api', stage, methodThrottles: {} }];
  return { id, name: id, stages, throttle: undefined, quota: undefined };
}
const usagePlans = [plan('free'), plan('pro'), plan('elsewhere', 'other')];
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
    expect(key.id).toMatch(/^[0-9a-z]{10}$/);
    expect(plane.getApiKeys()).toEqual([key]);
    expect(plane.findKey(value)).toEqual({ id: key.id, value, isEnabled: true });
  });

  it('creates a key that is disabled, with a value of its own, unless it is told otherwise', () => {
    const { enabled, value: generated } = plane.createApiKey({});

    expect(enabled).toBe(false);
    expect(plane.findKey(generated)?.isEnabled).toBe(false);
    expect(generated.length).toBeGreaterThanOrEqual(20);
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

  it('lets a key be in the plans of different stages', () => {
    const { id } = plane.createApiKey({ value });

    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });
    plane.createUsagePlanKey({ usagePlanId: 'elsewhere', keyId: id });

    expect(plane.getUsagePlans({ keyId: id })).toHaveLength(2);
  });

  it.each<[string, (plane: ControlPlane, keyId: string) => unknown, string]>([
    [
      'a value below 20 characters',
      (p) => p.createApiKey({ value: 'short' }),
      'BadRequestException',
    ],
    ['a value that is taken', (p) => p.createApiKey({ value }), 'ConflictException'],
    ['the deletion of an unknown key', (p) => p.deleteApiKey('x'), 'NotFoundException'],
    [
      'an unknown plan',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'x', keyId }),
      'NotFoundException',
    ],
    [
      'an unknown key for a plan',
      (p) => p.createUsagePlanKey({ usagePlanId: 'pro', keyId: 'x' }),
      'NotFoundException',
    ],
    [
      'a key that is in the plan already',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'free', keyId }),
      'ConflictException',
    ],
    [
      'a second plan of the same stage',
      (p, keyId) => p.createUsagePlanKey({ usagePlanId: 'pro', keyId }),
      'ConflictException',
    ],
    [
      'a key that is not in the plan',
      (p, keyId) => p.deleteUsagePlanKey({ usagePlanId: 'pro', keyId }),
      'NotFoundException',
    ],
  ])('refuses %s', (_, call, type) => {
    const { id } = plane.createApiKey({ value });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    expect(() => call(plane, id)).toThrow(expect.objectContaining({ type }));
  });

  it('takes a change back that cannot be kept, so that it can be made again', () => {
    let isFull = false;
    const onChange = () => {
      if (isFull) throw new LocalRunError('no room');
    };
    const failing = new ControlPlane({ usagePlans, now: () => 0, onChange });
    const { id } = failing.createApiKey({ name: 'before' });
    failing.createUsagePlanKey({ usagePlanId: 'free', keyId: id });
    const call = (method: string, path: string, body = '') =>
      answerControlPlane({ method, path, query: new URLSearchParams(), body }, failing);
    isFull = true;

    const answers = [
      call('POST', '/apikeys', JSON.stringify({ value })),
      call('DELETE', `/usageplans/free/keys/${id}`),
      call('DELETE', `/apikeys/${id}`),
    ];

    expect(answers.map((answer) => [answer?.statusCode, answer?.body])).toEqual(
      Array(3).fill([503, '{"message":"no room"}']),
    );
    expect(failing.isInPlan(id, 'free')).toBe(true);
    isFull = false;
    expect(call('POST', '/apikeys', JSON.stringify({ value }))?.statusCode).toBe(201);
  });

  it.each([
    ['/apikeys', 'null'],
    ['/apikeys', '1'],
    ['/apikeys', '[]'],
    ['/apikeys', '{"name":1}'],
    ['/apikeys', '{"value":12345678901234567890}'],
    ['/apikeys', '{"value":{"length":30}}'],
    ['/apikeys', '{"description":{}}'],
    ['/apikeys', '{"enabled":"yes"}'],
    ['/usageplans/free/keys', 'null'],
    ['/usageplans/free/keys', '{"keyId":{}}'],
    ['/usageplans/free/keys', ''],
  ])('answers 400 to POST %s with %s, and keeps nothing of it', (path, body) => {
    const call = { method: 'POST', path, query: new URLSearchParams(), body };

    expect(answerControlPlane(call, plane)?.statusCode).toBe(400);
    expect(plane.getApiKeys({ nameQuery: 'any' })).toEqual([]);
  });

  it.each([
    ['limit=0', 2],
    ['limit=-1', 2],
    ['limit=x&position=x', 2],
    ['limit=1', 1],
    ['position=1', 1],
    ['position=-1', 2],
  ])('lists keys with %s', (query, count) => {
    plane.createApiKey({});
    plane.createApiKey({});
    const call = { method: 'GET', path: '/apikeys', body: '', query: new URLSearchParams(query) };

    const answer = answerControlPlane(call, plane);

    expect(JSON.parse(answer!.body).item).toHaveLength(count);
  });

  it('goes on with what an earlier run has kept', () => {
    const { id } = plane.createApiKey({ value, enabled: true });
    plane.createUsagePlanKey({ usagePlanId: 'free', keyId: id });

    const later = new ControlPlane({ usagePlans, now: () => 0, state: saved });

    expect(later.findKey(value)?.id).toBe(id);
    expect(later.isInPlan(id, 'free')).toBe(true);
  });
});
