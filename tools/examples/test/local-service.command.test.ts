import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startServiceWith } from '../../../test/contract/running-service.ts';
import { StoreOrdersClient } from '../store-orders-client.ts';

const orders = `{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}
{"id":2,"petId":8,"quantity":1,"shipDate":"2026-11-21T09:30:00Z","complete":true,"status":"shipped"}
`;

// A privileged port that no common service uses.
const nowhere = 'http://127.0.0.1:2/staging/v1';

let service: RunningService;

beforeAll(async () => {
  service = await startServiceWith(orders);
}, 60_000);

afterAll(() => service?.[Symbol.asyncDispose]());

/** As a reader does: npm puts the project's own Node first, whatever Node npm itself runs on. */
async function runExample(environment: Record<string, string>, ...options: string[]) {
  const child = spawn('npm', ['run', '--silent', 'example', '--', ...options], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, printed, errors };
}

describe('npm run example', () => {
  it('lists the orders of the service that the environment names', async () => {
    const { baseUrl, keys } = service;

    const { code, printed } = await runExample({
      STORE_ORDERS_URL: baseUrl,
      STORE_ORDERS_KEY: keys.pro,
    });

    expect(printed).toContain('9007199254740993: 2 × pet 7, 2026-11-20T09:30:00Z\n');
    expect(printed).toMatch(/\n2 orders\n$/);
    expect(code).toBe(0);
  });

  it.each([
    [
      'a key that the service refuses',
      /^401 unauthorized: [^\n]*\n$/,
      'wrong',
      () => service.baseUrl,
    ],
    ['a service that is not there', /^http:\S+: [^\n]*ECONNREFUSED[^\n]*\n$/, 'any', () => nowhere],
  ])('says in a line what is wrong: %s', async (_, line, key, baseUrl) => {
    const environment = { STORE_ORDERS_URL: baseUrl(), STORE_ORDERS_KEY: key };

    const { code, printed, errors } = await runExample(environment);

    expect([code, printed]).toEqual([1, '']);
    expect(errors.replace(/^npm warn .*\n/gm, '')).toMatch(line);
  });

  it.each([
    ['an option, because it could be a key', ['--key', 'secret'], 'takes no options'],
    ['nothing', [], 'STORE_ORDERS_URL and STORE_ORDERS_KEY'],
  ])('refuses %s', async (_, options, message) => {
    const { code, errors } = await runExample({}, ...options);

    expect(code).toBe(1);
    expect(errors).toContain(message);
    expect(errors).not.toContain('secret');
  });
});

describe('typed client and the local service', () => {
  it('lists orders with every digit of their ids, and cancels one once', async () => {
    const client = new StoreOrdersClient({ baseUrl: service.baseUrl, apiKey: service.keys.free });

    const listed = await client.listOrders();
    const cancelled = [
      await client.cancelOrder(9007199254740993n),
      await client.cancelOrder(9007199254740993n),
    ];

    expect(listed).toContainEqual({
      id: 9007199254740993n,
      petId: 7n,
      quantity: 2,
      shipDate: '2026-11-20T09:30:00Z',
      complete: false,
    });
    expect(cancelled).toEqual(['cancelled', 'already cancelled']);
  });

  it('R25: waits for the seconds that the service names, and asks again', async () => {
    const { baseUrl, keys } = service;
    const waitedMs: number[] = [];
    let asked = 0;
    const client = new StoreOrdersClient({
      baseUrl,
      apiKey: keys.free,
      pace: false,
      backOff: { maxAttempts: 2, sleep: async (ms) => void waitedMs.push(ms) },
      fetch: (request) => {
        asked++;
        return fetch(request);
      },
    });
    let failure: unknown;

    for (let call = 0; call < 130 && failure === undefined; call++) {
      await client.cancelOrder(-1n).catch((error) => {
        if (error.status === 429) failure = error;
      });
    }

    expect(failure).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(waitedMs[0]).toBeGreaterThanOrEqual(1_000);
    expect(waitedMs[0]).toBeLessThanOrEqual(60_000);
    expect(asked).toBeGreaterThan(waitedMs.length);
  });
});
