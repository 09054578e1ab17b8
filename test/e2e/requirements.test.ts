import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
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

describe('the service as a whole', () => {
  it('R1: answers in JSON, be it orders or an error', async () => {
    const answers = [await list(), await store.cancel('99', key), await store.list()];

    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401]);
    for (const answer of answers) {
      expect(headerOf(answer, 'content-type')).toBe('application/json');
      expect(() => JSON.parse(answer.text)).not.toThrow();
    }
  });

  it('R28, I27: has of the pets one operation, which is deprecated and gone', async () => {
    const answer = await store.call('GET', '/pets/1', { token: key });

    expectError(answer, 410, 'gone');
    expect(contract.paths['/pets/{petId}'].get.deprecated).toBe(true);
    expect(Object.keys(contract.paths).filter((path) => path.startsWith('/pets'))).toHaveLength(1);
  });

  it('I11: admits no web page of another origin', async () => {
    const Origin = 'https://shop.example.com';
    const preflight = await store.call('OPTIONS', '/store/orders', {
      headers: { Origin, 'Access-Control-Request-Method': 'GET' },
    });
    const answered = await store.call('GET', '/store/orders', { token: key, headers: { Origin } });

    const names = [preflight, answered].flatMap(({ headers }) => [...headers.keys()]);
    expectError(preflight, 404, 'not_found');
    expect(answered.status).toBe(200);
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('R3, I3: shows of an order the five fields, of their types, and no status', async () => {
    const [order] = JSON.parse((await list()).text);

    expect(order).toEqual({
      id: expect.any(Number),
      petId: 7,
      quantity: 2,
      shipDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      complete: false,
    });
  });
});

describe('versions', () => {
  it('R27: 1.0.0 is served below /v1, and nothing outside it', async () => {
    const outside = await fetch(`${store.service.origin}/staging/store/orders`);

    expect(contract.info.version).toBe('1.0.0');
    expect(store.baseUrl).toMatch(/\/v1$/);
    expect((await list()).status).toBe(200);
    expect(outside.status).toBe(404);
  });
});
