import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect as connectTo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceRealm } from '../../../lambdas/contract/service-name.ts';
import { recordByPlan } from '../../../lib/settings/plans.ts';
import { anyKeyPrefix, stageSettings } from '../../../lib/settings/stages.ts';
import { serve } from '../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import { issueKey } from '../../admin/keys/issue.ts';
import { createOwner } from '../../admin/owners/create.ts';
import { connect } from '../../admin/stage/stage-connection.ts';
import { findKey } from '../../admin/store/keys.ts';
import { type Ready, type Run, startRun, startService } from './running-service.ts';

const otherServer = await serve(() => {});
const usedPort = new URL(otherServer.url).port;

let runs: Run[];

beforeEach(() => {
  runs = [];
});

afterEach(async () => {
  for (const { child, exited } of runs) {
    child.kill('SIGKILL');
    await exited;
  }
});

// Its files are removed after the runs have ended.
const directory = temporaryDirectoryOfEachTest();

afterAll(() => otherServer[Symbol.asyncDispose]());

function start(options: readonly string[], temporary = directory.path): Run {
  const run = startRun(options, { TMPDIR: temporary });
  runs.push(run);
  return run;
}

/** Starts a run and waits until it is ready. */
async function startReady(...options: string[]) {
  const run = await startService(options, { TMPDIR: directory.path });
  runs.push(run);
  return run;
}

/** Sends a signal, and returns how the run ended. */
async function stop({ child, exited }: Run, signal: NodeJS.Signals = 'SIGTERM') {
  child.kill(signal);
  return exited;
}

/** Whether there is a directory in which a run keeps what it has synthesized. */
const hasFiles = ({ child }: Run) =>
  readdirSync(directory.path).some((name) => name.startsWith(`${serviceRealm}-${child.pid}-`));

/** Whether a process with these words in its command is running. */
const isRunning = (words: string) =>
  execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).includes(words);

async function call({ baseUrl }: Pick<Ready, 'baseUrl'>, key: string, method = 'GET', id = '') {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${baseUrl}/store/orders${id && `/${id}`}`, { method, headers });
  return { status: response.status, text: await response.text() };
}

const cancel = (run: Ready, id: string) => call(run, run.keys.enterprise, 'DELETE', id);

const operatorOf = ({ baseUrl }: Ready) =>
  connect({ local: new URL(baseUrl).origin }, { now: Date.now, operator: () => 'ann' });

describe('two local runs at once', () => {
  it('R2, I19: print one line of JSON each, serve one stage each, and leave nothing behind', async () => {
    // Each stage keeps its data in a folder of its own.
    const data = join(directory.path, 'data');
    const [staging, prod] = await Promise.all([
      startReady('--data', data),
      startReady('--data', data, '--stage', 'prod'),
    ]);

    const lists = await Promise.all([
      call(staging, staging.keys.free),
      call(prod, prod.keys.enterprise),
      call(staging, prod.keys.free),
      call(prod, staging.keys.free),
    ]);
    const ended = await Promise.all([stop(staging), stop(prod, 'SIGHUP')]);

    expect(lists.map(({ status }) => status)).toEqual([200, 200, 401, 401]);
    expect(JSON.parse(lists[0]!.text)).toHaveLength(1_000);
    expect(lists[0]!.text).toMatch(/"id":9223372036854775807[,}]/);
    expect(ended).toEqual(Array(2).fill([0, null]));
    for (const [run, stage] of [
      [staging, 'staging'],
      [prod, 'prod'],
    ] as const) {
      const { origin } = new URL(run.baseUrl);
      const key = expect.stringMatching(`^${stageSettings(stage).apiKeyPrefix}\\w{46}$`);
      expect(JSON.parse(await run.stdout)).toEqual({
        baseUrl: `${origin}/${stage}/v1`,
        stage,
        keys: recordByPlan(() => key),
        dynamodbEndpoint: origin,
        tables: { orders: expect.any(String), apiKeys: expect.any(String) },
      });
      expect(await run.stderr).not.toMatch(new RegExp(anyKeyPrefix));
      expect(hasFiles(run)).toBe(false);
      await expect(fetch(origin)).rejects.toThrow();
    }
  });
});

describe('a local run', () => {
  it('prints commands that work, in 80 columns, with the key once, keeps serving if its output is closed, and ends at Ctrl+C with a request open', async () => {
    const run = start(['--port', '0']);
    const shown = await run.started;
    const [, commands = ''] = shown.split('\nChoose a key:\n');
    const [choice, list, cancel] = commands.split(/\n\n.*:\n/);
    const [, port, key] = /:(\d+)[\s\S]*ORDERS_KEY=(\S+)/.exec(choice!)!;
    const answerTo = async (command?: string) =>
      (await promisify(execFile)('bash', ['-ec', `${choice}\n${command}`])).stdout;
    run.stdout.catch(() => {});
    run.child.stdout!.destroy();

    const listed = await answerTo(list);
    const cancelled = await answerTo(cancel);
    const socket = connectTo(Number(port), '127.0.0.1');
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\n');
    await once(socket, 'connect');

    expect(shown.split(key!)).toHaveLength(2);
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(listed).toMatch(
      /^HTTP\/1\.1 200 OK[\s\S]*\r\nX-RateLimit-Limit: 60\r\n[\s\S]*\[\{"id":1001,/,
    );
    expect(cancelled).toMatch(/^HTTP\/1\.1 204 No Content\r\n/);
    expect(await stop(run, 'SIGINT')).toEqual([0, null]);
    expect(await run.stderr).not.toContain('Warning');
  });

  it('ends with code 0 when it is stopped while it starts', async () => {
    const run = start(['--json', '--port', '0']);
    while (!hasFiles(run)) await sleep(5);

    expect(await stop(run)).toEqual([0, null]);
    expect([await run.stdout, await run.stderr]).toEqual(['', '']);
    expect(hasFiles(run)).toBe(false);
  });

  it('ends with the reason if its embedded database ends', async () => {
    const run = await startReady();
    const database = execFileSync('pgrep', ['-P', String(run.child.pid), 'dynoxide']);

    process.kill(Number(database), 'SIGKILL');

    expect(await run.exited).toEqual([1, null]);
    expect(await run.stderr).toBe(
      'the embedded DynamoDB in memory fails (dynoxide ended (SIGKILL)): start again\n',
    );
  });

  it.each<[string, string[], RegExp, string | undefined]>([
    [
      'a port in use',
      ['--port', usedPort],
      /^--host and --port: listen EADDRINUSE: .*; give an /,
      undefined,
    ],
    [
      'a directory for temporary files that cannot be written',
      [],
      /^a file cannot be created in \/proc \(E\w+\); set TMPDIR to a directory /,
      '/proc',
    ],
  ])('reports a mistake in one line: %s', async (_, options, line, temporary) => {
    const run = start(options, temporary);

    expect(await run.exited).toEqual([1, null]);
    expect(await run.stdout).toBe('');
    expect(await run.stderr).toMatch(line);
    expect(await run.stderr).toMatch(/^[^\n]+\n$/);
  });
});

it('npm start -- --inspect lets a debugger find the sources of the functions', async () => {
  const run = start(['--json', '--port', '0', '--inspect=0']);
  let said = '';
  run.child.stderr!.on('data', (chunk) => {
    said += chunk;
  });
  await run.started;
  const debugging = new WebSocket(/ws:\S+/.exec(said)![0]);
  const sourceMaps: string[] = [];
  const enabled = new Promise<void>((resolve) => {
    debugging.addEventListener('message', ({ data }) => {
      const { id, params } = JSON.parse(String(data));
      if (params?.sourceMapURL) sourceMaps.push(params.sourceMapURL);
      if (id === 1) resolve();
    });
  });
  await once(debugging, 'open');

  debugging.send(JSON.stringify({ id: 1, method: 'Debugger.enable' }));
  await enabled;
  debugging.close();

  // An editor finds its breakpoints by the source map of a bundle.
  const sources = sourceMaps.map((url) => Buffer.from(url.split(',')[1]!, 'base64').toString());
  expect(sources.some((text) => text.includes('lambdas/cancel-order.ts'))).toBe(true);
  expect(await stop(run)).toEqual([0, null]);
});

describe('a data directory', () => {
  it('keeps everything if its run is killed, and belongs to one run at a time', async () => {
    const data = join(directory.path, 'data');
    const options = ['--data', data, '--orders', directory.write('one', '{"id":1}')];
    const first = await startReady(...options);
    const stage = await operatorOf(first);
    await createOwner({ name: 'Acme', plan: 'free' }, stage);
    const kept = await issueKey({ owner: 'Acme' }, stage);
    expect((await cancel(first, '1')).status).toBe(204);

    const other = start(['--port', '0', ...options]);
    expect(await other.exited).toEqual([1, null]);
    expect(isRunning(`--db-path ${data}`)).toBe(true);
    await stop(first, 'SIGKILL');
    while (isRunning(`--db-path ${data}`)) await sleep(20);
    const next = await startReady('--data', data);

    expect(await other.stderr).toMatch(/^the directory .* is in use by another local run: .*\n$/);
    expect(next.keys).toEqual(first.keys);
    expect(await call(next, kept.apiKey)).toMatchObject({ status: 200, text: '[{"id":1}]' });
    expect((await cancel(next, '1')).text).toContain('order_already_cancelled');
    const { owner } = await findKey(kept.keyId, await operatorOf(next));
    expect(owner.item?.dayCount).toBe(1);
  });
});
