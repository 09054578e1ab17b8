import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { admin } from '../admin/run-admin.ts';
import { templateFile } from '../helpers/synthesized.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../helpers/temporary-directory.ts';

const root = join(import.meta.dirname, '../..');
const orderCount = 10_000;
const firstId = 9_007_199_254_740_993n;

let service: LocalService;
let directory: TemporaryDirectory;
let file: string;

beforeAll(async () => {
  directory = temporaryDirectory();
  file = await writeOrders(join(directory.path, 'orders.jsonl'));
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: 'StoreOrders-staging',
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
  directory.remove();
});

async function writeOrders(path: string): Promise<string> {
  const stream = createWriteStream(path);
  for (let index = 0; index < orderCount; index++) {
    stream.write(`{"id":${firstId + BigInt(index)},"petId":${index},"complete":false}\n`);
  }
  stream.end();
  await finished(stream);
  return path;
}

function startImport(): ChildProcess {
  return spawn(
    process.execPath,
    ['bin/admin.ts', 'orders', 'import', file, '--local', service.origin],
    {
      cwd: root,
      env: { PATH: process.env.PATH, XDG_STATE_HOME: directory.path },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

/** Waits for the first checkpoint, which comes with the first batch. */
async function untilItLoads(importing: ChildProcess): Promise<void> {
  while (importing.exitCode === null && settledBytes() === 0) await sleep(10);
}

/** How much of the file is settled, as the checkpoint on disk says. */
function settledBytes(): number {
  try {
    const state = join(directory.path, 'store-orders');
    const [name] = readdirSync(state).filter((each) => each.endsWith('.json'));
    return JSON.parse(readFileSync(join(state, name!), 'utf8')).end.offset;
  } catch {
    return 0;
  }
}

jest.setTimeout(60_000);

describe('an import that is killed half-way', () => {
  it('goes on when it is run again: all orders are there, none twice', async () => {
    const killed = startImport();
    const ended = new Promise((resolve) => killed.once('exit', (_, signal) => resolve(signal)));
    await untilItLoads(killed);
    killed.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');

    const { exitCode, stdout } = await admin(
      ['orders', 'import', file, '--local', service.origin, '--json'],
      { stateDirectory: join(directory.path, 'store-orders') },
    );

    expect(exitCode).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary.resumedAtLine).toBeGreaterThan(25);
    expect(summary.inserted + summary.alreadyThere).toBe(orderCount);
    const exported = await admin(['orders', 'export', '--local', service.origin]);
    const ids = exported.stdout.match(/(?<="id":)-?\d+/g)!;
    expect(ids).toHaveLength(orderCount);
    expect(new Set(ids).size).toBe(orderCount);
  });

  it('ends in good order when it is interrupted, and says how to go on', async () => {
    const interrupted = startImport();
    let stderr = '';
    interrupted.stderr!.on('data', (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise((resolve) => interrupted.once('exit', resolve));
    await untilItLoads(interrupted);
    interrupted.kill('SIGINT');

    expect(await ended).toBe(1);
    expect(stderr).toMatch(
      /^error: stopped before line \d+, with [\d,]+ orders in the table before it: interrupted; the same command goes on from there\n$/,
    );
  });
});
