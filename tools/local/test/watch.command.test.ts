import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { anyKeyPrefix } from '../../../lib/settings/stages.ts';
import {
  moduleDirectoryOfFile,
  temporaryDirectoryOfFile,
} from '../../../test/helpers/temporary-directory.ts';
import { type Ready, type Run, root, startRun } from './running-service.ts';

// The code of `npm start`, and the files that it reads.
const copied = [
  ...['bin', 'lambdas', 'lib', 'tools'],
  ...['cdk.json', 'openapi.yaml', 'package.json'],
];

/** The handler that is changed while it runs, below the folder with the copied sources. */
const changedHandler = 'lambdas/cancel-order.ts';
const place = '  await cancelPendingOrder(';

/** Adds a statement for the order 0 to the handler. */
const withStatement = (statement: string) =>
  original.replace(place, `  if (event.pathParameters?.orderId === '0') ${statement};\n${place}`);
/** Has the handler answer with an error message for the order 0. */
const answering = (message: string) =>
  withStatement(`throw new ApiError('order_not_found', { message: '${message}' })`);
const save = (text: string) => writeFileSync(file(changedHandler), text);

/** A copy of the sources, which can be changed. It is removed after the run has ended. */
const sources = moduleDirectoryOfFile();
const file = (name: string) => join(sources.path, name);
const temporary = temporaryDirectoryOfFile();

// The test polls this often with the key of the plan enterprise, which allows so many requests.
const pollMs = 100;
const patienceMs = 100_000;

let run: Run;
let ready: Ready;
let original: string;
let complaints = '';

beforeAll(async () => {
  for (const name of copied) cpSync(join(root, name), file(name), { recursive: true });
  original = readFileSync(file(changedHandler), 'utf8');
  const environment = { TMPDIR: temporary.path };
  run = startRun(['--watch', '--json', '--port', '0'], environment, sources.path);
  run.child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  ready = JSON.parse(await run.started);
});

afterAll(async () => {
  run.child.kill('SIGKILL');
  await run.exited;
});

/** Sends a cancellation. The service also answers while it loads a change. */
async function cancel(orderId = '0', key = ready.keys.enterprise): Promise<string> {
  const headers = { Authorization: `Bearer ${key}` };
  const url = `${ready.baseUrl}/store/orders/${orderId}`;
  const response = await fetch(url, { method: 'DELETE', headers });
  return `${response.status} ${await response.text()}`;
}

/** @throws Error with what the run said, because a wait without an end would outlast its test */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await isSo()); await sleep(pollMs)) {
    if (performance.now() - startedMs > patienceMs) throw new Error(complaints.slice(-2_000));
  }
}

const untilAnswered = (text: string) => until(async () => (await cancel()).includes(text));
const untilSaid = (text: string) => until(() => complaints.includes(text));

describe('npm start -- --watch', () => {
  it('answers with a saved handler, however it was saved, with the same keys and orders', async () => {
    expect(await cancel('1001')).toBe('204 ');

    writeFileSync(file('lambdas/.saved'), answering('renamed'));
    renameSync(file('lambdas/.saved'), file(changedHandler));
    await untilAnswered('renamed');
    for (let count = 1; count <= 20; count++) {
      save(answering(`save ${count}`));
      await sleep(count);
    }
    await untilAnswered('save 20');
    // These texts are in the template.
    const errors = file('lambdas/contract/errors.ts');
    const text = readFileSync(errors, 'utf8');
    writeFileSync(errors, text.replace('A valid API key is required', 'Nobody knows it'));
    await until(async () => (await cancel('0', 'none')).includes('Nobody knows it'));

    expect(await cancel('1001')).toMatch(/^409 .*order_already_cancelled/);
  });

  it('goes on after an error that nobody caught after the response, and names its function and line', async () => {
    const late = "setTimeout(() => Promise.reject(new Error('late')), 50)";
    const source = withStatement(`{ ${late}; throw new ApiError('order_not_found') }`);
    const line = source.slice(0, source.indexOf('late')).split('\n').length;

    save(source);
    await until(async () => {
      await cancel();
      return complaints.includes('Error: late');
    });
    await untilSaid(`${file(changedHandler)}:${line}:`);

    expect(complaints).toMatch(/-CancelOrderFunction\S+: Uncaught Error: late/);
    expect(await cancel('none')).toMatch(/^400/);
  });

  it('reports a file that does not compile, serves the earlier code, and the new code when it is repaired', async () => {
    save(`import './absent.ts';\n${answering('mended')}`);
    await untilSaid('Could not resolve "./absent.ts"');
    await untilSaid('the template could not be synthesized; see above');
    expect(await cancel('none')).toMatch(/^400/);
    writeFileSync(file('lambdas/absent.ts'), '');

    await untilAnswered('mended');
  });

  it('leaves nothing but its line on standard output, and no files behind', async () => {
    run.child.kill('SIGTERM');

    expect(await run.exited).toEqual([0, null]);
    expect(JSON.parse(await run.stdout)).toEqual(ready);
    expect(complaints).not.toMatch(new RegExp(`${anyKeyPrefix}\\w`));
    expect(readdirSync(temporary.path)).toEqual([]);
  });
});
