import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findKey } from '../../admin/keys/find-key.ts';
import { issueKey } from '../../admin/keys/issue-key.ts';
import { revokeKey } from '../../admin/keys/revoke-key.ts';
import { connect } from '../../admin/stage/stage-connection.ts';
import { plans } from '../../lib/settings/plans.ts';

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

/** Where a run keeps what it has synthesized. */
const cacheOf = ({ child }: Run) => join(root, '.cache/local', String(child.pid));

type Plan = keyof Ready['keys'];

function call({ baseUrl, keys }: Ready, method: string, path: string, plan: Plan = 'enterprise') {
  return fetch(baseUrl + path, { method, headers: { Authorization: `Bearer ${keys[plan]}` } });
}

const listWith = (run: Ready, token: string) =>
  call({ ...run, keys: { ...run.keys, free: token } }, 'GET', '/store/orders', 'free');

const operatorOf = ({ baseUrl }: Ready) => connect({ local: new URL(baseUrl).origin }, Date.now);

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
    expect(existsSync(cacheOf(run))).toBe(true);

    const list = await call(run, 'GET', '/store/orders', 'free');
    const orders = await list.text();
    const limits = [list, await call(run, 'GET', '/pets/1')].map(({ headers }) =>
      headers.get('X-RateLimit-Limit'),
    );
    const ended = await stop(run);

    expect(list.status).toBe(200);
    expect(limits).toEqual([plans.free, plans.enterprise].map(({ perMinute }) => `${perMinute}`));
    expect(JSON.parse(orders)).toHaveLength(1_000);
    expect(orders).toContain('"id":9223372036854775807');
    expect(ended).toEqual({ code: 0, ms: expect.any(Number) });
    expect(ended.ms).toBeLessThan(endsWithinMs);
    expect(await answers(run.dynamodbEndpoint)).toBe(false);
    expect(existsSync(cacheOf(run))).toBe(false);
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

  it('prints what a person needs, and ends at Ctrl+C with a stream open', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `{"id":${index}}`);
    const run = start(['--port', '0', '--orders', ordersFile('many.jsonl', lines)]);
    const [chunk] = await once(run.child.stdout!, 'data');
    const shown = String(chunk);
    const [, authorization, url] = /curl -i -H 'Authorization: (Bearer \S+)' (\S+)/.exec(shown)!;

    const response = await fetch(url!, { headers: { Authorization: authorization! } });
    const { code, ms } = await stop(run, 'SIGINT');

    for (const plan of ['free', 'pro', 'business', 'enterprise'])
      expect(shown).toContain(`  ${plan}`);
    expect(response.status).toBe(200);
    expect([code, ms < endsWithinMs]).toEqual([0, true]);
    await response.text().catch(() => {});
  });

  it('ends with code 0 when it is stopped while it starts', async () => {
    const run = start(['--json', '--port', '0']);
    while (!existsSync(cacheOf(run))) await sleep(5);

    const ended = await stop(run);

    expect(ended.code).toBe(0);
    expect(ended.ms).toBeLessThan(endsWithinMs);
    expect([await run.stdout, await run.stderr]).toEqual(['', '']);
    expect(existsSync(cacheOf(run))).toBe(false);
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
  it('are loaded instead of the sample', async () => {
    const lines = ['[{"id":9007199254740993,"petId":7},', '{"id":2,"status":"shipped"}]'];
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

  it('stop the run before anything is served where the file is cut off', async () => {
    const file = ordersFile('orders', ['[{"id":1},', '{"id":2}']);
    const run = start(['--port', '0', '--orders', file]);

    const [code] = await run.exited;

    expect([code, await run.stdout]).toEqual([1, '']);
    expect(await run.stderr).toMatch(/^--orders .*: line 2: .* cut off\n$/);
  });
});

describe('a data directory', () => {
  it('is complete after a run that was killed while it loaded the orders', async () => {
    const data = join(directory, 'data');
    const lines = Array.from({ length: 20_000 }, (_, index) => `{"id":${index}}`);
    const options = ['--data', data, '--orders', ordersFile('many.jsonl', lines)];
    const killed = start(['--json', '--port', '0', ...options]);
    const database = join(data, 'StoreOrders-staging/demo-keys.json');
    while (!existsSync(database)) await sleep(5);
    await stop(killed, 'SIGKILL');

    const run = await startReady(options);

    expect(await killed.stdout).toBe('');
    expect(JSON.parse(await (await call(run, 'GET', '/store/orders')).text())).toHaveLength(20_000);
  });

  it('keeps what the operator did, serves one run at a time, and takes no second file', async () => {
    const data = join(directory, 'data');
    const options = ['--data', data, '--orders', ordersFile('one', ['{"id":1}'])];
    const first = await startReady(options);
    const store = await operatorOf(first);
    const kept = await issueKey({ plan: 'free', owner: 'kept' }, store);
    const revoked = await issueKey({ plan: 'free', owner: 'gone' }, store);
    await revokeKey(revoked.keyId, store);

    const other = start(['--port', '0', ...options]);
    const [code] = await other.exited;
    await stop(first);
    const next = await startReady(['--data', data, '--orders', ordersFile('two', ['{"id":2}'])]);

    expect(code).toBe(1);
    expect(await other.stderr).toMatch(/^the directory .* is in use by another local run: .*\n$/);
    const list = await listWith(next, kept.apiKey);
    expect(await list.json()).toEqual([{ id: 1 }]);
    const refused = await listWith(next, revoked.apiKey);
    expect(refused.status).toBe(401);
    const { owner } = await findKey(kept.keyId, await operatorOf(next));
    expect(owner.item?.dayCount).toBe(1);
    await stop(next);
    expect(await next.stderr).toMatch(/The orders of an earlier run are kept; .* is not loaded\./);
  });
});
