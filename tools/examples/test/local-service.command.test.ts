import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunningService, startServiceWith } from '../../../test/contract/running-service.ts';
import { serve } from '../../../test/helpers/loopback-server.ts';
import { StoreOrdersClient } from '../store-orders-client.ts';

const orders = `{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}
{"id":2,"petId":8,"quantity":1,"shipDate":"2026-11-21T09:30:00Z","complete":true,"status":"shipped"}
{"id":-9223372036854775808,"petId":9223372036854775807}
`;

// A privileged port that no common service uses.
const nowhere = 'http://127.0.0.1:2/staging/v1';

let service: RunningService;

beforeAll(async () => {
  service = await startServiceWith(orders);
}, 60_000);

afterAll(() => service?.[Symbol.asyncDispose]());

describe('npm run example', () => {
  it('lists the orders of the service that the environment names', async () => {
    const { code, printed } = await runExample(service.baseUrl);

    expect(printed).toContain('9007199254740993: 2 × pet 7, 2026-11-20T09:30:00Z\n');
    expect(printed).toMatch(/\n3 orders\n$/);
    expect(code).toBe(0);
  });

  it.each([
    ['', [], 'Set STORE_ORDERS_URL and STORE_ORDERS_KEY.'],
    [nowhere, ['--', '--key', 'x'], 'This example takes no options; it reads the environment.'],
    [nowhere, [], `${nowhere}: connect ECONNREFUSED 127.0.0.1:2`],
  ])('says in a line why it cannot: %s %j', async (url, words, line) => {
    const { code, printed, errors } = await runExample(url, ...words);

    expect([code, printed, errors.replace(/^npm warn .*\n/gm, '')]).toEqual([1, '', `${line}\n`]);
  });

  it('leaves the terminal as it is, whatever is answered', async () => {
    const refusal = { code: 'unauthorized', message: '\u001b[2J\u009b2J' };
    await using server = await serve((_, outgoing) => {
      outgoing.writeHead(401).end(JSON.stringify(refusal));
    });

    const { code, errors } = await runExample(server.url);

    expect([code, errors]).toEqual([
      1,
      expect.stringContaining('401 unauthorized: \ufffd[2J\ufffd2J\n'),
    ]);
  });
});

describe('typed client and the local service', () => {
  it('lists orders with every digit of their ids, and cancels one once', async () => {
    const client = new StoreOrdersClient({ baseUrl: service.baseUrl, apiKey: service.keys.free });

    const listed = await client.listOrders();
    const streamed = await Readable.from(client.orders()).toArray();
    const cancelled = [
      await client.cancelOrder(9007199254740993n),
      await client.cancelOrder(9007199254740993n),
    ];

    expect(streamed).toEqual(listed);
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
    const waitedMs: number[] = [];
    const client = new StoreOrdersClient({
      baseUrl: service.baseUrl,
      apiKey: service.keys.free,
      isPaced: false,
      backOff: { maxAttempts: 2, sleep: async (ms) => void waitedMs.push(ms) },
    });

    // More than two minutes allow, because a minute may end in between.
    const calls = Array.from({ length: 130 }, () => client.cancelOrder(-1n));
    const outcomes = await Promise.allSettled(calls);

    const reason = expect.objectContaining({ code: 'rate_limit_exceeded' });
    expect(outcomes).toContainEqual({ status: 'rejected', reason });
    expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...waitedMs)).toBeLessThanOrEqual(60_000);
  });
});

describe('client in Python', () => {
  it('lists orders with every digit of their ids, and cancels one once', async () => {
    const id = '-9223372036854775808';
    const { baseUrl, keys } = service;

    const listed = await runPython(baseUrl, keys.business);
    const cancelled = await runPython(baseUrl, keys.business, id, id, '2');

    expect(listed.printed.split('\n')).toHaveLength(4);
    expect(listed.printed).toContain(`{"id": ${id}, "petId": 9223372036854775807}\n`);
    expect(cancelled.printed).toBe(`${id} cancelled\n${id} already cancelled\n`);
    expect(cancelled.errors).toMatch(/^409 order_already_shipped: /);
  });

  it.each(['end', 'destroy'] as const)(
    'prints an order before the rest is sent, and says so where the list is cut off: %s',
    async (cutOff) => {
      await using server = await serve(async (_incoming, outgoing) => {
        outgoing.writeHead(200, { 'Content-Encoding': 'gzip' });
        const zip = createGzip();
        zip.pipe(outgoing);
        zip.write('[{"id":1},{"i');
        zip.flush();
        await once(running.stdout!, 'data');
        outgoing[cutOff]();
      });
      const running = startPython(server.url, 'a-key');

      const { code, printed, errors } = await outcomeOf(running);

      expect([code, printed]).toEqual([1, '{"id": 1}\n']);
      expect(errors).toMatch(/^the list was cut off before its end/);
    },
  );

  it('R25: waits as Retry-After says, and takes a cancellation for success whose answer was lost', async () => {
    const askedMs: number[] = [];
    await using server = await serve(({ socket }, outgoing) => {
      askedMs.push(Date.now());
      const body = '{"code":"order_already_cancelled","message":"It is.","status":409}';
      if (askedMs.length === 1) outgoing.writeHead(429, { 'Retry-After': '1' }).end();
      else if (askedMs.length === 2) socket.destroy();
      // The form that a proxy may choose.
      else if (askedMs.length === 3)
        outgoing.writeHead(503, { 'Retry-After': 'Sun, 22 Nov 2026 09:30:00 GMT' }).end();
      else outgoing.writeHead(409).end(body);
    });

    const { printed } = await runPython(server.url, 'a-key', '7');

    expect(printed).toBe('7 already cancelled\n');
    expect(askedMs[1]! - askedMs[0]!).toBeGreaterThanOrEqual(1_000);
  });
});

/** As a reader does: npm puts the project's own Node first, whatever Node npm itself runs on. */
const runExample = (url: string, ...words: string[]) =>
  outcomeOf(start(url, service.keys.pro, 'npm', 'run', '--silent', 'example', ...words));

const startPython = (url: string, key: string, ...ids: string[]) =>
  start(url, key, 'python3', '-u', join(import.meta.dirname, '../store_orders.py'), ...ids);

const runPython = (...parameters: Parameters<typeof startPython>) =>
  outcomeOf(startPython(...parameters));

function start(url: string, key: string, command: string, ...words: string[]): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(command, words, {
    env: { PATH, HOME, STORE_ORDERS_URL: url, STORE_ORDERS_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** @throws Error when the command is not there */
async function outcomeOf(child: ChildProcess) {
  const exit = once(child, 'exit');
  const [printed, errors] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
  const [code] = await exit;
  return { code, printed, errors };
}
