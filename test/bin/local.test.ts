import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findKey } from '../../admin/find-key.ts';
import { issueKey } from '../../admin/issue-key.ts';
import { revokeKey } from '../../admin/revoke-key.ts';
import { connect } from '../../admin/stage-connection.ts';

const root = join(import.meta.dirname, '../..');
const endsWithinMs = 2_000;

interface Ready {
  baseUrl: string;
  stage: string;
  keys: Record<'free' | 'pro' | 'business' | 'enterprise', string>;
  dynamodbEndpoint: string;
  tables: { orders: string; apiKeys: string };
}

interface Run {
  readonly child: ChildProcess;
  readonly stdout: Promise<string>;
  readonly stderr: Promise<string>;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
}

let directory: string;
let runs: Run[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'local-run-'));
  runs = [];
});

afterEach(async () => {
  for (const { child, exited } of runs) {
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(directory, { recursive: true, force: true });
});

function start(options: readonly string[], environment: Record<string, string> = {}): Run {
  const child = spawn(process.execPath, ['bin/local.ts', ...options], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const run: Run = {
    child,
    stdout: text(child.stdout),
    stderr: text(child.stderr),
    exited: once(child, 'exit') as Run['exited'],
  };
  runs.push(run);
  return run;
}

/** Starts a run and waits until it is ready. */
async function startReady(options: readonly string[] = [], environment = {}): Promise<Run & Ready> {
  const run = start(['--json', '--port', '0', ...options], environment);
  const line = await Promise.race([
    once(run.child.stdout!, 'data').then(([chunk]) => String(chunk)),
    run.exited.then(async () => Promise.reject(new Error(await run.stderr))),
  ]);
  return { ...run, ...JSON.parse(line) };
}

async function stop({ child, exited }: Run, signal: NodeJS.Signals = 'SIGTERM') {
  const startedAt = performance.now();
  child.kill(signal);
  const [code] = await exited;
  return { code, ms: performance.now() - startedAt };
}

type Plan = keyof Ready['keys'];

function call({ baseUrl, keys }: Ready, method: string, path: string, plan: Plan = 'enterprise') {
  return fetch(baseUrl + path, { method, headers: { Authorization: `Bearer ${keys[plan]}` } });
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

function ordersFile(name: string, lines: readonly string[]): string {
  const file = join(directory, name);
  writeFileSync(file, lines.join('\n'));
  return file;
}

describe('the local run', () => {
  it('prints one line of JSON, serves, and ends everything within two seconds', async () => {
    const run = await startReady();
    const cache = join(root, '.cache/local', String(run.child.pid));
    expect(existsSync(cache)).toBe(true);

    const list = await call(run, 'GET', '/store/orders', 'free');
    const orders = await list.text();
    const ended = await stop(run);

    expect(list.status).toBe(200);
    expect(JSON.parse(orders)).toHaveLength(1_000);
    expect(orders).toContain('"id":9223372036854775807');
    expect(ended).toEqual({ code: 0, ms: expect.any(Number) });
    expect(ended.ms).toBeLessThan(endsWithinMs);
    expect(await answers(run.dynamodbEndpoint)).toBe(false);
    expect(existsSync(cache)).toBe(false);
    const lines = (await run.stdout).split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0]!)).toEqual({
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/staging\/v1$/),
      stage: 'staging',
      keys: {
        free: expect.stringMatching(/^so_test_[0-9A-Za-z]{46}$/),
        pro: expect.stringMatching(/^so_test_/),
        business: expect.stringMatching(/^so_test_/),
        enterprise: expect.stringMatching(/^so_test_/),
      },
      dynamodbEndpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      tables: { orders: expect.any(String), apiKeys: expect.any(String) },
    });
    expect(await run.stderr).not.toContain('so_test_');
  });

  it('gives each plan its limits, the enterprise key 60,000 a minute', async () => {
    const run = await startReady();

    const limits = await Promise.all(
      (['free', 'pro', 'business', 'enterprise'] as const).map(async (plan) => {
        const { headers } = await call(run, 'GET', '/pets/1', plan);
        return Number(headers.get('X-RateLimit-Limit'));
      }),
    );

    expect(limits).toEqual([60, 300, 1_000, 60_000]);
  });

  it('runs the prod stage, with keys of its own', async () => {
    const [staging, prod] = await Promise.all([startReady(), startReady(['--stage', 'prod'])]);

    const statuses = await Promise.all([
      call(prod, 'GET', '/store/orders'),
      call(prod, 'DELETE', '/store/orders/1'),
      call({ ...prod, keys: staging.keys }, 'GET', '/store/orders'),
    ]);

    expect(prod.keys.free).toMatch(/^so_live_/);
    expect(new URL(prod.baseUrl).pathname).toBe('/prod/v1');
    expect(statuses.map(({ status }) => status)).toEqual([200, 204, 401]);
  });

  it('prints what a person needs: the address, the keys and lines to paste', async () => {
    const run = start(['--port', '0']);
    const [chunk] = await once(run.child.stdout!, 'data');
    const shown = String(chunk);
    const curl = /curl -i -H 'Authorization: (Bearer \S+)' (\S+)/.exec(shown);

    const response = await fetch(curl![2]!, { headers: { Authorization: curl![1]! } });

    expect(response.status).toBe(200);
    for (const plan of ['free', 'pro', 'business', 'enterprise'])
      expect(shown).toContain(`  ${plan}`);
    await response.arrayBuffer();
  });

  it('ends within two seconds of a signal with a stream open', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `{"id":${index}}`);
    const run = await startReady(['--orders', ordersFile('many.jsonl', lines)]);
    const response = await call(run, 'GET', '/store/orders');

    const { code, ms } = await stop(run, 'SIGINT');

    expect([code, ms < endsWithinMs]).toEqual([0, true]);
    await response.text().catch(() => {});
  });

  it.each([150, 600])('ends with code 0 when it is stopped %i ms after its start', async (ms) => {
    const run = start(['--json', '--port', '0']);
    await sleep(ms);

    const ended = await stop(run);

    expect(ended.code).toBe(0);
    expect(ended.ms).toBeLessThan(endsWithinMs);
    expect([await run.stdout, await run.stderr]).toEqual(['', '']);
  });

  it.each([
    ['an option that is not accepted', ['--port', 'abc'], /^--port: "abc" is not accepted; .*\n$/],
    ['an option that does not exist', ['--prot', '1'], /^"--prot": no such option; .*\n$/],
    [
      'an address of another machine',
      ['--host', '203.0.113.9'],
      /^--host: "203.0.113.9" cannot .*\n$/,
    ],
  ])('stops at %s with one line and code 1', async (_, options, message) => {
    const run = start(options);

    const [code] = await run.exited;

    expect([code, await run.stdout]).toEqual([1, '']);
    expect(await run.stderr).toMatch(message);
  });

  it('stops at a port that is in use with one line and code 1', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };

    const run = start(['--port', String(port)]);
    const [code] = await run.exited;

    server.close();
    expect(code).toBe(1);
    expect(await run.stderr).toMatch(
      new RegExp(`^--port: ${port} is in use by another program; .*\n$`),
    );
  });
});

describe('orders of a file', () => {
  it.each([
    [
      'JSON Lines',
      ['{"id":9007199254740993,"petId":7,"quantity":2}', '{"id":2,"status":"shipped"}'],
    ],
    [
      'a JSON array',
      ['[{"id":9007199254740993,"petId":7,"quantity":2},', '{"id":2,"status":"shipped"}]'],
    ],
  ])('are loaded instead of the sample: %s', async (_, lines) => {
    const run = await startReady(['--orders', ordersFile('orders', lines)]);

    const list = await (await call(run, 'GET', '/store/orders')).text();
    const statuses = [
      (await call(run, 'DELETE', '/store/orders/9007199254740993')).status,
      (await call(run, 'DELETE', '/store/orders/2')).status,
    ];

    expect(list).toContain('9007199254740993');
    expect(JSON.parse(list)).toHaveLength(2);
    expect(statuses).toEqual([204, 409]);
  });

  it.each([
    [
      'a bad value',
      ['{"id":1}', '{"id":"x"}'],
      /line 2: id: "x" is not accepted; expected an integer/,
    ],
    [
      'a bad status',
      ['{"id":1,"status":"lost"}'],
      /line 1: status: "lost" is not accepted; expected/,
    ],
    ['no JSON', ['{"id":1}', 'oops'], /line 2: is not JSON/],
    ['an end that is missing', ['[{"id":1},', '{"id":2}'], /line 2: .* cut off/],
  ])('stop the run before anything is served: %s', async (_, lines, message) => {
    const run = start(['--port', '0', '--orders', ordersFile('orders', lines)]);

    const [code] = await run.exited;

    const error = await run.stderr;
    expect([code, await run.stdout]).toEqual([1, '']);
    expect(error).toMatch(message);
    expect(error.trim().split('\n')).toHaveLength(1);
  });
});

describe('a data directory', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)('keeps everything across %s', async (signal) => {
    const data = join(directory, 'data');
    const first = await startReady(['--data', data]);
    const operator = await connect({ local: new URL(first.baseUrl).origin }, Date.now);
    const limits = { perMinute: 5, perDay: 50 };
    const issued = await issueKey({ plan: 'enterprise', owner: 'kept', ...limits }, operator);
    const revoked = await issueKey({ plan: 'free', owner: 'gone' }, operator);
    await revokeKey(revoked.keyId, operator);
    const used = (run: Ready, token: string) =>
      call({ ...run, keys: { ...run.keys, free: token } }, 'GET', '/pets/1', 'free');
    await used(first, issued.apiKey);
    await call(first, 'DELETE', '/store/orders/1');
    await call(first, 'GET', '/pets/1', 'pro');
    await stop(first, signal);

    const second = await startReady(['--data', data]);

    expect(second.keys).toEqual(first.keys);
    expect((await call(second, 'DELETE', '/store/orders/1')).status).toBe(409);
    const kept = await used(second, issued.apiKey);
    expect(kept.status).toBe(410);
    const operatorNow = await connect({ local: new URL(second.baseUrl).origin }, Date.now);
    expect((await findKey(issued.keyId, operatorNow)).dayCount).toEqual({ N: '2' });
    expect((await used(second, revoked.apiKey)).status).toBe(401);
    expect(JSON.parse(await (await call(second, 'GET', '/store/orders')).text())).toHaveLength(
      1_000,
    );
  });

  it('is complete after a run that was killed while it loaded the orders', async () => {
    const data = join(directory, 'data');
    const lines = Array.from({ length: 30_000 }, (_, index) => `{"id":${index}}`);
    const options = ['--data', data, '--orders', ordersFile('many.jsonl', lines)];
    const killed = start(['--json', '--port', '0', ...options]);
    const database = join(data, 'StoreOrders-staging/demo-keys.json');
    while (!existsSync(database)) await sleep(5);
    await stop(killed, 'SIGKILL');

    const run = await startReady(options);

    expect(await killed.stdout).toBe('');
    expect(JSON.parse(await (await call(run, 'GET', '/store/orders')).text())).toHaveLength(30_000);
  });

  it('serves one run at a time', async () => {
    const data = join(directory, 'data');
    await startReady(['--data', data]);

    const other = start(['--port', '0', '--data', data]);
    const [code] = await other.exited;

    expect(code).toBe(1);
    expect(await other.stderr).toMatch(/^the directory .* is in use by another local run: .*\n$/);
  });

  it('does not take another orders file, and says so', async () => {
    const data = join(directory, 'data');
    await stop(await startReady(['--data', data]));

    const run = await startReady(['--data', data, '--orders', ordersFile('other', ['{"id":1}'])]);

    expect(JSON.parse(await (await call(run, 'GET', '/store/orders')).text())).toHaveLength(1_000);
    await stop(run);
    expect(await run.stderr).toMatch(/The orders of an earlier run are kept; .* is not loaded\./);
  });
});
