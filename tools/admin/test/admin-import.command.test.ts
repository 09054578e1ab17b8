import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { admin } from './run-admin.ts';

const orderCount = 3_000;
const firstId = 9_007_199_254_740_993n;

let service: LocalService;
const directory = temporaryDirectoryOfFile();
let file: string;

beforeAll(async () => {
  const lines = Array.from(
    { length: orderCount },
    (_, index) => `{"id":${firstId + BigInt(index)},"petId":${index},"complete":false}\n`,
  );
  file = directory.write('orders.jsonl', lines.join(''));
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: 'StoreOrders-staging',
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
});

/** Runs a command that sends itself a signal: by default after a part of the orders is in the table. */
async function interrupted(
  SIGNAL: NodeJS.Signals,
  command = ['orders', 'import', file],
  place: object = { SIGNAL_AT_BATCH: '20' },
) {
  const hook = join(import.meta.dirname, 'signal-itself.ts');
  const words = [...command, '--local', service.origin];
  const importing = spawn(process.execPath, ['--import', hook, 'tools/admin/run.ts', ...words], {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, SIGNAL, ...place },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(importing.stderr);
  return { exit: await once(importing, 'exit'), stderr: await stderr };
}

jest.setTimeout(60_000);

describe('an import that is interrupted half-way', () => {
  it('completes when it is run again, after Ctrl+C and after a kill', async () => {
    const { exit, stderr } = await interrupted('SIGINT');
    expect(exit).toEqual([5, null]);
    expect(stderr).toMatch(
      /stopped with [\d,]+ orders in the table: interrupted; run the command again\n$/,
    );

    expect((await interrupted('SIGKILL')).exit).toEqual([null, 'SIGKILL']);

    const words = ['orders', 'import', file, '--local', service.origin, '--json'];
    const { exitCode, stdout } = await admin(words);
    expect(exitCode).toBe(0);
    const summary = JSON.parse(stdout);
    expect(summary.alreadyThere).toBeGreaterThan(0);
    expect(summary.inserted + summary.alreadyThere).toBe(orderCount);
    const exported = await admin(['orders', 'export', '--local', service.origin]);
    const ids = exported.stdout.match(/(?<="id":)-?\d+/g)!;
    expect(ids).toHaveLength(orderCount);
    expect(new Set(ids).size).toBe(orderCount);
  });

  it.each([
    ['orders import -', 'ends with exit code 5', [5, null]],
    ['keys list', 'ends by the signal', [null, 'SIGTERM']],
  ])('%s %s if a signal arrives while it is loaded', async (words, _, exit) => {
    const atModule = { SIGNAL_AT_MODULE: './program.ts' };

    expect((await interrupted('SIGTERM', words.split(' '), atModule)).exit).toEqual(exit);
  });
});

it('names TMPDIR if standard input cannot be copied there', async () => {
  const TMPDIR = join(directory.path, 'gone');

  const { exit, stderr } = await interrupted('SIGINT', ['orders', 'import', '-'], { TMPDIR });

  expect(exit).toEqual([1, null]);
  expect(stderr).toMatch(/^error: TMPDIR: ".*gone" is not accepted; expected .* \(ENOENT.*\)\n$/);
});
