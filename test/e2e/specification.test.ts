import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { plans } from '../../lib/settings/plans.ts';
import { expectError, headerOf, RunningStore } from './running-store.ts';

const contract = parse(readFileSync(join(import.meta.dirname, '../../openapi.yaml'), 'utf8'));

let store: RunningStore;
let key: string;

beforeAll(async () => {
  store = await RunningStore.start();
  key = (await store.issue()).apiKey;
  await store.putOrders([
    { id: '1', status: 'pending' },
    { id: '2', status: 'shipped' },
  ]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

const list = () => store.list(key);

describe('what the specification says of the service as a whole', () => {
  it('What the service does, rule 3: refuses every operation without a bearer key', async () => {
    for (const [path, operations] of Object.entries<object>(contract.paths)) {
      const methods = Object.keys(operations).filter((name) =>
        /^(get|put|post|delete)$/.test(name),
      );
      expect(methods.length).toBeGreaterThan(0);
      for (const method of methods) {
        const answer = await store.call(method.toUpperCase(), path.replace(/\{\w+\}/, '1'));
        expectError(answer, 401, 'unauthorized');
      }
    }
  });

  it('What the service does, rule 5: has of the pets one operation, which is deprecated', async () => {
    const answer = await store.call('GET', '/pets/1', { token: key });

    expectError(answer, 410, 'gone');
    expect(contract.paths['/pets/{petId}'].get.deprecated).toBe(true);
    expectError(await store.call('GET', '/pets', { token: key }), 404, 'not_found');
    expectError(await store.call('DELETE', '/pets/1', { token: key }), 404, 'not_found');
  });

  it('Resources, Order: has the five published fields, of the published types, and no status', async () => {
    const [order] = JSON.parse((await list()).text);

    expect(order).toEqual({
      id: expect.any(Number),
      petId: 7,
      quantity: 2,
      shipDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      complete: false,
    });
  });

  it('Resources, Error: has code, message and status, and nothing else', async () => {
    const { text } = await store.cancel('99', key);

    expect(JSON.parse(text)).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      status: 404,
    });
  });

  it('States: a pending order becomes a cancelled one, a shipped one stays shipped', async () => {
    const statuses = [];
    for (const id of ['1', '2']) statuses.push((await store.cancel(id, key)).status);

    expect(statuses).toEqual([204, 409]);
    expect((await store.orderItem('1')).status).toEqual({ S: 'cancelled' });
    expect((await store.orderItem('2')).status).toEqual({ S: 'shipped' });
    expect(JSON.parse((await list()).text)).toHaveLength(2);
  });

  it('Errors, 429: carries Retry-After, in whole seconds', async () => {
    const freeKey = await store.issue('free');
    await store.setCounters(freeKey, { minuteCount: plans.free.perMinute });

    const answer = await store.list(freeKey.apiKey);

    expectError(answer, 429, 'rate_limit_exceeded');
    expect(headerOf(answer, 'retry-after')).toMatch(/^[1-9]\d*$/);
  });
});

describe('what the specification says of versions', () => {
  it('Versioning rule 1: version 1.0.0 is served below /v1, and nothing outside it', async () => {
    const outside = await fetch(`${store.service.origin}/staging/store/orders`);

    expect(contract.info.version).toBe('1.0.0');
    expect(store.baseUrl).toMatch(/\/v1$/);
    expect((await list()).status).toBe(200);
    expect(outside.status).toBe(404);
  });

  it('Versioning rule 2: a filter of v2 is ignored in v1', async () => {
    const answer = await store.call('GET', '/store/orders?status=shipped&limit=1', { token: key });

    expect(JSON.parse(answer.text)).toHaveLength(2);
    expect(contract.paths['/store/orders'].get.parameters ?? []).toEqual([]);
  });

  it('Versioning rule 4: operations carry a stability marker of those that there are', () => {
    for (const path of ['/store/orders', '/store/orders/{orderId}']) {
      for (const operation of Object.values<Record<string, unknown>>(contract.paths[path])) {
        if (!operation.operationId) continue;
        expect(['stable', 'beta', 'experimental']).toContain(operation['x-stability']);
      }
    }
  });
});
