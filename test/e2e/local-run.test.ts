import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOwnerPart } from '../../lambdas/shared/api-key.ts';
import { type RunningService, startService } from '../contract/running-service.ts';

type Ready = Omit<RunningService, typeof Symbol.asyncDispose>;

interface Run {
  readonly process: ChildProcess;
  readonly ready: Promise<Ready>;
  /** When it has ended. */
  readonly output: Promise<{ stdout: string; stderr: string; exitCode: number | null }>;
}

const root = join(import.meta.dirname, '../..');
const running = new Set<ChildProcess>();
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'store-orders-run-'));
});

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

afterAll(() => rm(directory, { recursive: true }));

function start(...options: string[]): Run {
  const child = spawn(process.execPath, ['bin/local.ts', ...options], {
    cwd: root,
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const exited = once(child, 'exit').then(([exitCode]) => {
    running.delete(child);
    return exitCode;
  });
  return {
    process: child,
    ready: once(child.stdout!, 'data').then(([line]) => JSON.parse(String(line))),
    output: Promise.all([text(child.stdout!), text(child.stderr!), exited]).then(
      ([stdout, stderr, exitCode]) => ({ stdout, stderr, exitCode }),
    ),
  };
}

const startJson = (...options: string[]) => start('--json', '--port', '0', ...options);

async function call({ baseUrl }: Ready, key: string, method = 'GET', path = '/store/orders') {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(baseUrl + path, { method, headers });
  const body = await response.text();
  return { status: response.status, body, remaining: remainingIn(response) };
}

const remainingIn = ({ headers }: Response) => Number(headers.get('x-ratelimit-remaining'));

describe('two local runs at once', () => {
  it('are one of each stage, know only their own keys, and print one line each', async () => {
    const runs = [startJson(), startJson('--stage', 'prod')];
    const [staging, prod] = await Promise.all(runs.map(({ ready }) => ready));

    const answers = await Promise.all([
      call(staging!, staging!.keys.free),
      call(prod!, prod!.keys.free),
      call(staging!, prod!.keys.free),
      call(prod!, staging!.keys.free),
    ]);
    for (const { process } of runs) process.kill('SIGTERM');
    const outputs = await Promise.all(runs.map(({ output }) => output));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
    expect(JSON.parse(answers[0]!.body)).toHaveLength(1_000);
    expect(answers[0]!.body).toMatch(/"id":9007199254740993[,}]/);
    expect(answers[0]!.body).toMatch(/"id":9223372036854775807[,}]/);
    for (const [index, stage] of ['staging', 'prod'].entries()) {
      expectReady([staging!, prod!][index]!, stage);
      const { stdout, stderr } = outputs[index]!;
      expect(stdout.split('\n')).toEqual([JSON.stringify([staging!, prod!][index]), '']);
      const secrets = Object.values([staging!, prod!][index]!.keys).map((key) => key.slice(8));
      for (const secret of secrets) expect(stderr).not.toContain(secret);
    }
  });
});

function expectReady(ready: Ready, stage: string): void {
  const key = expect.stringMatching(stage === 'prod' ? /^so_live_\w{46}$/ : /^so_test_\w{46}$/);
  expect(ready).toEqual({
    baseUrl: expect.stringMatching(`^http://127\\.0\\.0\\.1:\\d+/${stage}/v1$`),
    stage,
    keys: { free: key, pro: key, business: key, enterprise: key },
    dynamodbEndpoint: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    tables: { orders: expect.any(String), apiKeys: expect.any(String) },
  });
}

describe('a local run with --data', () => {
  it('goes on where it was killed: the same keys, their use, and what was cancelled', async () => {
    const data = join(directory, 'data');
    const first = startJson('--data', data);
    const before = await first.ready;
    const cancelled = await call(before, before.keys.enterprise, 'DELETE', '/store/orders/1');
    const use = [];
    for (let sent = 0; sent < 3; sent++) use.push(await call(before, before.keys.free));
    first.process.kill('SIGKILL');
    await first.output;

    const second = startJson('--data', data);
    const after = await second.ready;
    const again = await call(after, after.keys.enterprise, 'DELETE', '/store/orders/1');
    const dayCount = await dayCountOf(after, after.keys.free);

    expect(cancelled.status).toBe(204);
    expect(after.keys).toEqual(before.keys);
    expect([again.status, JSON.parse(again.body).code]).toEqual([409, 'order_already_cancelled']);
    expect(use.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(dayCount).toBe(3);
    expect(JSON.parse((await call(after, after.keys.pro)).body)).toHaveLength(1_000);
  });
});

describe('a local run that cannot be', () => {
  const badOrder = '{"id":1,"petId":7}\n{"id":1.5,"petId":7}\n';

  it.each<[string, string[], RegExp[]]>([
    ['an unknown option', ['--prot', '0'], [/--prot/, /--help/]],
    ['a stage that there is not', ['--stage', 'test'], [/--stage/, /"test"/, /staging or prod/]],
    ['a port that is none', ['--port', '70000'], [/--port/, /"70000"/, /65535/]],
    ['a file that there is not', ['--orders', 'none.jsonl'], [/--orders/, /"none.jsonl"/, /file/]],
    ['an address of another machine', ['--host', '192.0.2.1'], [/--host/, /127\.0\.0\.1/]],
    ['an order that is none', ['--orders', 'FILE'], [/line 2\b/i, /\bid\b/, /1\.5/, /int/i]],
  ])('says what is wrong in one line, and nothing else: %s', async (_, options, patterns) => {
    const file = join(directory, 'bad.jsonl');
    await writeFile(file, badOrder);
    const given = options.map((option) => (option === 'FILE' ? file : option));

    const { stdout, stderr, exitCode } = await startJson(...given).output;

    expect([stdout, exitCode]).toEqual(['', 1]);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    for (const pattern of patterns) expect(stderr).toMatch(pattern);
  });
});

describe('a local run at a DynamoDB that does not answer', () => {
  it('ends, and keeps the password of its address to itself', async () => {
    const started = startService([], { DYNAMODB_ENDPOINT: 'http://user:secret@127.0.0.1:9' });

    const error = await started.then(String, String);

    expect(error).toContain('DYNAMODB_ENDPOINT: http://…@127.0.0.1:9 does not answer');
    expect(error).not.toContain('secret');
  });
});

async function dayCountOf({ dynamodbEndpoint, tables }: Ready, key: string): Promise<number> {
  const client = new DynamoDBClient({
    endpoint: dynamodbEndpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const Key = { ownerHash: { S: hashOwnerPart(key) } };
  const { Item } = await client.send(new GetItemCommand({ TableName: tables.apiKeys, Key }));
  client.destroy();
  return Number(Item?.dayCount?.N);
}
