import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createGzip, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusingProxy, serve } from '../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { type RunningService, root, startService } from '../../local/test/running-service.ts';
import { StoreOrders } from '../store-orders.ts';
import { compiler } from './compiler.ts';

const run = promisify(execFile);
const directory = temporaryDirectoryOfFile();
const examples = join(import.meta.dirname, '..');

const orders = `{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false}
{"id":2,"petId":8,"quantity":1,"shipDate":"2026-11-21T09:30:00Z","complete":true,"status":"shipped"}
{"id":-9223372036854775808,"petId":9223372036854775807}
`;

let service: RunningService;

beforeAll(async () => {
  service = await startService(['--orders', directory.write('orders', orders)]);
}, 60_000);

afterAll(() => service?.[Symbol.asyncDispose]());

describe('the TypeScript client', () => {
  it('compiles with the defaults of tsc --init, by itself', async () => {
    const compile = (...words: string[]) =>
      run(process.execPath, [compiler, ...words], { cwd: directory.path });
    directory.write('package.json', '{"type":"module"}');
    directory.write('store-orders.ts', readFileSync(join(examples, 'store-orders.ts')));

    await compile('--init');

    await expect(compile()).resolves.toMatchObject({ stdout: '' });
  });
});

describe('the Python client', () => {
  it.each([
    ['', 'a-key', 'Set the environment variable ORDERS_URL.'],
    [
      'http://store.example/v1',
      'a-key',
      'The base URL must begin with https://, or others could read the key: see allow_http.',
    ],
  ])('refuses the address "%s" with the key %s', async (url, key, expected) => {
    const { code, errors } = await runPython(url, key, 'list');

    expect([code, errors]).toEqual([1, expect.stringMatching(`^${expected}.*\n$`)]);
  });

  it('lists orders with every digit of their ids, and cancels one once', async () => {
    const id = '-9223372036854775808';
    const { baseUrl, keys } = service;

    const listed = await runPython(baseUrl, keys.business, 'list');
    const cancelled = await runPython(`${baseUrl}/`, keys.business, 'cancel', id, id, '2');

    expect(listed.printed.split('\n')).toHaveLength(4);
    expect(listed.printed).toContain(`{"id": ${id}, "petId": 9223372036854775807}\n`);
    expect(cancelled.printed).toBe(`${id} cancelled\n${id} already cancelled\n2 `);
    expect(cancelled.errors).toMatch(/^order_already_shipped: /);
  });

  it.each(['end', 'destroy'] as const)(
    'prints an order before the rest is sent, and asks to discard a list that is cut off: %s',
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
      const running = start(server.url, 'a-key', 'python3', '-u', 'store_orders.py', 'list');

      const { code, printed, errors } = await outcomeOf(running);

      expect([code, printed]).toEqual([1, '{"id": 1}\n']);
      expect(errors).toMatch(/^incomplete_list: discard the orders/);
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
        outgoing
          .writeHead(503, { 'Retry-After': new Date(Date.now() + 2_000).toUTCString() })
          .end();
      else if (askedMs.length === 4) outgoing.end('<html>');
      else outgoing.writeHead(409).end(body);
    });

    const { printed } = await runPython(server.url, 'a-key', 'cancel', '7');

    expect(printed).toBe('7 already cancelled\n');
    expect(askedMs[1]! - askedMs[0]!).toBeGreaterThanOrEqual(1_000);
    expect(askedMs[3]! - askedMs[2]!).toBeGreaterThanOrEqual(900);
  });

  it('sends nothing that could be a mistake', async () => {
    const { errors } = await runScript('http://127.0.0.1:9', 'store.cancel(True)');

    expect(errors).toMatch(/^TypeError: The order id True is not an int\.$/m);
  });

  it('tells of each attempt, ignores interim responses, and keeps its connection', async () => {
    const ports = new Set<number | undefined>();
    await using server = await serve(({ socket, method }, outgoing) => {
      ports.add(socket.remotePort);
      outgoing.writeEarlyHints({ link: '</a.css>' });
      outgoing.writeProcessing();
      if (method === 'DELETE') return outgoing.writeHead(204).end();
      return outgoing.end('[{"id":1}]');
    });

    const { printed } = await runScript(
      server.url,
      'store.cancel(7)\nprint(list(store.orders()))\nstore.cancel(8)',
    );

    expect(printed.split('\n')).toEqual([
      'DELETE /store/orders/7 204 0.0',
      'GET /store/orders 200 0.0',
      "[{'id': 1}]",
      'DELETE /store/orders/8 204 0.0',
      '',
    ]);
    expect(ports.size).toBe(1);
  });

  it.each([
    [`'[ {"id":1} ,\\n{"id":2} ]\\n'`, '[{"id": 1}, {"id": 2}]\n'],
    [`' [ ]\\n'`, '[]\n'],
    [`'[{"id":1}][{"id":1}]'`, ''],
    [`']'`, ''],
    [`chain('[{"id":1},{"x":"', repeat('x' * 16_384))`, ''],
  ])('parses %s as a whole list, or not at all', async (texts, expected) => {
    const script = `
import json, store_orders
from itertools import chain, repeat
print(json.dumps(list(store_orders._orders_in(None, ${texts}))))`;

    const { printed } = await outcomeOf(start('', '', 'python3', '-c', script));

    expect(printed).toBe(expected);
  });

  it('waits until every window with two or fewer requests left has reset, and says for which order', async () => {
    const askedMs: number[] = [];
    await using server = await serve(async (_, outgoing) => {
      await shown;
      askedMs.push(Date.now());
      outgoing.writeHead(204, { RateLimit: '"minute";r=2;t=1, "day";r=0;t=0' }).end();
    });
    const running = startPython(server.url, 'a-key', 'cancel', '7', '8');
    const shown = once(running.stdout!, 'data');

    await outcomeOf(running);

    expect(askedMs[1]! - askedMs[0]!).toBeGreaterThanOrEqual(1_000);
  });

  it('is stopped by an event while it waits', async () => {
    await using server = await serve((_, outgoing) =>
      outgoing.writeHead(503, { 'Retry-After': '3600' }).end(),
    );

    const { errors } = await runScript(
      server.url,
      'threading.Timer(0.5, stop.set).start()\nstore.cancel(7)',
    );

    expect(errors).toContain('StoreOrdersError: aborted');
  });
});

it('the Python client logs in at a proxy', async () => {
  const calls: unknown[] = [];
  await using proxy = await refusingProxy(({ url, headers }) =>
    calls.push([url, headers['proxy-authorization']]),
  );
  const { port } = new URL(proxy.url);
  const script = `
import os
os.environ["https_proxy"] = "http://ann:p%40ss@127.0.0.1:${port}/"
import store_orders
store_orders.MAX_ATTEMPTS = 1
store_orders.StoreOrders("https://store.example/v1", "a-key").cancel(7)`;

  const { errors } = await outcomeOf(start('', '', 'python3', '-c', script));

  expect(errors).toContain('no_response');
  const login = `Basic ${Buffer.from('ann:p@ss').toString('base64')}`;
  expect(calls).toEqual([['store.example:443', login]]);
});

describe('both clients', () => {
  it('name themselves and the version of the contract', async () => {
    const agents: unknown[] = [];
    await using server = await serve(({ headers }, outgoing) => {
      agents.push(headers['user-agent']);
      outgoing.writeHead(204).end();
    });

    await runPython(server.url, 'a-key', 'cancel', '7');
    await new StoreOrders(server.url, 'a-key').cancelOrder(7n);

    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(agents).toEqual([
      `store-orders-python/${version}`,
      `store-orders-typescript/${version}`,
    ]);
  });

  const shipped = '{"code":"order_already_shipped","message":"It has.","status":409}';
  const elsewhere = { Location: 'https://elsewhere.example/' };
  const gzip = { 'Content-Encoding': 'gzip' };

  it.each([
    ['redirect', elsewhere.Location, 302, elsewhere, shipped],
    ['order_already_shipped', 'It has.', 409, gzip, gzipSync(shipped)],
    ['unknown', 'HTTP status 404', 404, gzip, gzipSync(Buffer.alloc(1e8))],
  ])('end with %s: %s after %s %j', async (code, message, status, headers, body) => {
    let count = 0;
    await using server = await serve((_, outgoing) => {
      count++;
      outgoing.writeHead(status, headers).end(body);
    });

    const { errors } = await runPython(server.url, 'a-key', 'cancel', '7');
    const error = await new StoreOrders(server.url, 'a-key').cancelOrder(7n).catch(Object);

    expect(errors).toMatch(new RegExp(`^${code}: .*${message}\n$`));
    expect(error).toMatchObject({ code, status, message: expect.stringContaining(message) });
    expect(count).toBe(2);
  });
});

const startPython = (url: string, key: string, ...ids: string[]) =>
  start(url, key, 'python3', 'store_orders.py', ...ids);

const runPython = (...parameters: Parameters<typeof startPython>) =>
  outcomeOf(startPython(...parameters));

/** Runs Python code that uses a client of a server. */
const runScript = (url: string, use: string) => {
  const script = `
import threading, time as clock
from store_orders import StoreOrders
stop = threading.Event()
store = StoreOrders("${url}", "a-key", stop, on_attempt=print)
${use}`;
  return outcomeOf(start(url, 'a-key', 'python3', '-c', script));
};

function start(url: string, key: string, command: string, ...words: string[]): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(command, words, {
    cwd: examples,
    env: { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', ORDERS_URL: url, ORDERS_KEY: key },
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
