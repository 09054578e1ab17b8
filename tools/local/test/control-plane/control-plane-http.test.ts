import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiKey, ControlPlane } from '../../control-plane/control-plane.ts';
import { answerControlPlane } from '../../control-plane/control-plane-http.ts';
import { LocalRunError } from '../../template/local-run-error.ts';
import { plan } from './plan.ts';

const usagePlans = [plan('free'), plan('pro')];
const value = 'a-value-of-twenty-characters';

let plane: ControlPlane;

beforeEach(() => {
  plane = new ControlPlane({ usagePlans, now: () => 5_000_900 });
});

/** Calls the control plane; undefined when it has no such operation. */
function call(method: string, target: string, body: string | object = '', called = plane) {
  const { pathname: path, searchParams: query } = new URL(target, 'http://local');
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = answerControlPlane({ method, path, query, body: sent }, called);
  if (!answer) return undefined;
  return { status: answer.statusCode, headers: answer.headers, body: JSON.parse(answer.body) };
}

describe('control plane over HTTP', () => {
  it('creates, lists and deletes keys', () => {
    const given = { name: 'one', description: 'd', enabled: true };
    const created = call('POST', '/apikeys', { ...given, value })!;
    const { id } = created.body;
    const listed = call('GET', '/apikeys?name=one');
    const others = call('GET', '/apikeys?name=two');
    const deleted = call('DELETE', `/apikeys/${id}`);
    const again = call('DELETE', `/apikeys/${id}`);

    const dates = { createdDate: 5_000, lastUpdatedDate: 5_000 };
    const key = { id, ...given, ...dates };
    const headers = { 'Content-Type': 'application/json' };
    expect(created).toEqual({ status: 201, headers, body: { ...key, value } });
    expect(listed).toEqual({ status: 200, headers, body: { item: [key] } });
    expect(others?.body).toEqual({ item: [] });
    expect(deleted).toEqual({ status: 202, headers, body: {} });
    expect(again).toEqual({
      status: 404,
      headers: { ...headers, 'x-amzn-ErrorType': 'NotFoundException' },
      body: { message: 'Invalid API Key identifier specified' },
    });
  });

  it('puts keys into usage plans and takes them out', () => {
    const { id } = plane.createApiKey({ name: 'one', value });
    const keys = '/usageplans/free/keys';

    const answers = [
      call('POST', keys, { keyId: id, keyType: 'API_KEY' }),
      call('POST', keys, { keyId: id, keyType: 'API_KEY' }),
      call('POST', keys, {}),
      call('GET', `${keys}/${id}`),
      call('GET', `/usageplans?keyId=${id}`),
      call('DELETE', `${keys}/${id}`),
      call('GET', `${keys}/${id}`),
    ];

    const member = { id, name: 'one', value, type: 'API_KEY' };
    expect(answers.map((answer) => [answer?.status, answer?.body])).toEqual([
      [201, member],
      [409, { message: 'Usage Plan key already exists' }],
      [404, { message: 'Invalid API Key identifier specified' }],
      [200, member],
      [200, { item: [{ id: 'free', name: 'free' }] }],
      [202, {}],
      [404, { message: 'Invalid Usage Plan Key identifier specified' }],
    ]);
  });

  it.each([
    ['PUT', '/apikeys'],
    ['DELETE', '/apikeys/one/two'],
    ['GET', '/apikeys/one'],
    ['GET', '/usageplans/free'],
  ])('has no operation %s %s', (method, path) => {
    expect(call(method, path)).toBeUndefined();
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
    const answer = call('POST', path, body);

    expect([answer?.status, answer?.body]).toEqual([400, { message: 'Invalid request body' }]);
    expect(plane.getApiKeys()).toEqual([]);
  });

  it.each<[string, number, number, string | undefined]>([
    ['', 0, 24, '25'],
    ['limit=0', 0, 24, '25'],
    ['limit=-1', 0, 24, '25'],
    ['limit=x1&position=1x', 0, 24, '25'],
    ['limit=1', 0, 0, '1'],
    ['limit=10&position=7', 7, 16, '17'],
    ['limit=1000', 0, 499, '500'],
    ['position=490', 490, 500, undefined],
    ['limit=11&position=490', 490, 500, undefined],
    ['position=-1', 0, 24, '25'],
  ])('lists keys with %s: from %d to %d, and then from %s', (query, first, last, position) => {
    const apiKeys = Array.from({ length: 501 }, (_, id) => ({ id: `${id}`, name: '' }) as ApiKey);
    const state = { apiKeys, usagePlanKeys: [] };
    const many = new ControlPlane({ usagePlans, now: () => 0, state });

    const { item, position: next } = call('GET', `/apikeys?${query}`, '', many)!.body;

    expect([item[0].id, item.at(-1).id, next]).toEqual([`${first}`, `${last}`, position]);
  });

  it('takes a change back that cannot be kept, so that it can be made again', () => {
    let isFull = false;
    const onChange = () => {
      if (isFull) throw new LocalRunError('no room');
    };
    const failing = new ControlPlane({ usagePlans, now: () => 0, onChange });
    const { id } = failing.createApiKey({ name: 'before' });
    failing.createUsagePlanKey({ usagePlanId: 'free', keyId: id });
    const before = failing.getApiKeys();
    isFull = true;

    const answers = [
      call('POST', '/apikeys', { value }, failing),
      call('DELETE', `/usageplans/free/keys/${id}`, '', failing),
      call('DELETE', `/apikeys/${id}`, '', failing),
    ];

    const unavailable = { status: 503, body: { message: 'no room' } };
    const headers = { 'x-amzn-ErrorType': 'ServiceUnavailableException' };
    expect(answers).toMatchObject(Array(3).fill({ ...unavailable, headers }));
    expect(failing.isInPlan(id, 'free')).toBe(true);
    expect(failing.getApiKeys()).toEqual(before);
    expect(failing.findKey(before[0]!.value)?.id).toBe(id);
    expect(failing.findKey(value)).toBeUndefined();
    isFull = false;
    expect(call('POST', '/apikeys', { value }, failing)?.status).toBe(201);
  });

  it('does not answer for a fault of the program', () => {
    const onChange = () => {
      throw new TypeError('a fault');
    };
    const faulty = new ControlPlane({ usagePlans, now: () => 0, onChange });

    expect(() => call('POST', '/apikeys', {}, faulty)).toThrow('a fault');
  });
});
