import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { admin } from '../admin/run-admin.ts';
import { templateFile } from '../helpers/synthesized.ts';
import { temporaryDirectoryOfFile } from '../helpers/temporary-directory.ts';

const root = join(import.meta.dirname, '../..');
const orderCount = 3_000;
const firstId = 9_007_199_254_740_993n;

let service: LocalService;
const directory = temporaryDirectoryOfFile();
let file: string;

beforeAll(async () => {
  file = await writeOrders(join(directory.path, 'orders.jsonl'));
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: 'StoreOrders-staging',
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
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

/** Starts an import that gives itself a signal when a part of the orders is in the table. */
function startImport(signal: NodeJS.Signals): ChildProcess {
  const hook = join(import.meta.dirname, 'signal-at-batch.ts');
  const words = ['orders', 'import', file, '--local', service.origin];
  return spawn(process.execPath, ['--import', hook, 'bin/admin.ts', ...words], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      XDG_STATE_HOME: directory.path,
      SIGNAL: signal,
      SIGNAL_AT_BATCH: '20',
      SIGNAL_AFTER_CHECKPOINT_IN: stateDirectory(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const stateDirectory = () => join(directory.path, 'store-orders');

jest.setTimeout(60_000);

describe('an import that is killed half-way', () => {
  it('goes on when it is run again: all orders are there, none twice', async () => {
    const killed = startImport('SIGKILL');
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);

    const { exitCode, stdout } = await admin(
      ['orders', 'import', file, '--local', service.origin, '--json'],
      { stateDirectory: stateDirectory() },
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
    const interrupted = startImport('SIGINT');
    const stderr = text(interrupted.stderr!);

    expect(await once(interrupted, 'exit')).toEqual([1, null]);
    expect(await stderr).toMatch(
      /^error: stopped before line \d+, with [\d,]+ orders in the table before it: interrupted; the same command goes on from there\n$/,
    );
  });
});
