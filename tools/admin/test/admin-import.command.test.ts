import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';

let service: LocalService;
const directory = temporaryDirectoryOfFile();
let file: string;

beforeAll(async () => {
  const lines = Array.from({ length: 3_000 }, (_, id) => `{"id":${id}}\n`);
  file = directory.write('orders.jsonl', lines.join(''));
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: stackName('staging'),
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
});

/** Runs a command that sends itself a signal when a part of the orders is in the table. */
async function interrupted(SIGNAL: NodeJS.Signals) {
  const hook = join(import.meta.dirname, 'signal-itself.ts');
  const words = ['orders', 'import', file, '--local', service.origin];
  const importing = spawn('./admin', words, {
    cwd: join(import.meta.dirname, '../../..'),
    env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${hook}`, SIGNAL },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stderr = text(importing.stderr);
  return { exit: await once(importing, 'exit'), stderr: await stderr };
}

jest.setTimeout(60_000);

it('an import ends at Ctrl+C with exit code 5, and says how far it has come', async () => {
  const { exit, stderr } = await interrupted('SIGINT');

  expect(exit).toEqual([5, null]);
  expect(stderr).toMatch(/stopped after [\d,]+ orders: interrupted; run the command again\n$/);
});
