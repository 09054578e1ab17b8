import { cpSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { type Ready, type Run, root, startRun } from './running-service.ts';

const stack = 'lib/api/gateway-responses.ts';

// The code of `npm start`, and the files that it reads.
const copied = [
  ...['bin', 'lambdas', 'lib', 'tools'],
  ...['cdk.json', 'openapi.yaml', 'package.json'],
];

/** The handler that is changed while it runs, below the folder with the copied sources. */
const changedHandler = 'lambdas/cancel-order.ts';

const place = '  await cancelPendingOrder(';

/** Adds a statement for the order 0 to the handler. @throws Error if the handler has no place for it */
function withStatement(source: string, statement: string): string {
  if (!source.includes(place)) throw new Error(`${changedHandler} has no line ${place}`);
  const condition = "if (event.pathParameters?.orderId === '0')";
  return source.replace(place, `  ${condition} ${statement};\n${place}`);
}

/** Has the handler answer with an error message for the order 0. */
function answering(source: string, message: string): string {
  const error = `Object.assign(new OrderNotFoundError(), { message: '${message}' })`;
  return withStatement(source, `throw ${error}`);
}

let run: Run;
let ready: Ready;
let original: string;
let complaints = '';

beforeAll(async () => {
  for (const name of copied) cpSync(join(root, name), file(name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), file('node_modules'));
  original = readFileSync(file(changedHandler), 'utf8');
  run = startRun(['--watch', '--json', '--port', '0'], {}, sources.path);
  run.child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  ready = JSON.parse(await run.started);
});

afterAll(async () => {
  run.child.kill('SIGTERM');
  await run.exited;
});

/**
 * A copy of the sources, which can be changed, with a link to the installed packages. It is removed after the
 * run has ended.
 */
const sources = temporaryDirectoryOfFile();
const file = (name: string) => join(sources.path, name);

async function cancel(orderId = '0'): Promise<string> {
  const headers = { Authorization: `Bearer ${ready.keys.enterprise}` };
  const url = `${ready.baseUrl}/store/orders/${orderId}`;
  const response = await fetch(url, { method: 'DELETE', headers });
  return `${response.status} ${await response.text()}`;
}

async function untilAnswered(text: string): Promise<void> {
  while (!(await cancel()).includes(text)) await sleep(5);
}

async function untilSaid(text: string): Promise<void> {
  while (!complaints.includes(text)) await sleep(5);
}

describe('npm start -- --watch', () => {
  it('answers with a saved handler, however it was saved, and loses no request', async () => {
    let isDone = false;
    const others: Promise<string[]> = (async () => {
      const answers: string[] = [];
      while (!isDone) answers.push(await cancel('none'));
      return answers;
    })();

    writeFileSync(file(changedHandler), answering(original, 'in place'));
    await untilAnswered('in place');
    writeFileSync(file('lambdas/.saved'), answering(original, 'renamed'));
    renameSync(file('lambdas/.saved'), file(changedHandler));
    await untilAnswered('renamed');
    for (const text of ['one', 'two', 'three'])
      writeFileSync(file(changedHandler), answering(original, text));
    await untilAnswered('three');
    isDone = true;

    expect([...new Set((await others).map((answer) => answer.slice(0, 4)))]).toEqual(['400 ']);
  });

  it('logs the source line of an error', async () => {
    const thrown = withStatement(original, "throw Error('oops')");
    const line = thrown.slice(0, thrown.indexOf('oops')).split('\n').length;

    writeFileSync(file(changedHandler), thrown);
    await untilAnswered('internal_error');

    await untilSaid('Error: oops');
    const [, stack] = /"stack":"Error: oops(.*?)"/.exec(complaints)!;
    expect(stack!.split('\\n')[1]).toContain(`${file(changedHandler)}:${line}:`);
  });

  it('serves the last good handler until a broken one is repaired', async () => {
    writeFileSync(file(changedHandler), answering(original, 'good'));
    await untilAnswered('good');

    writeFileSync(file(changedHandler), `import './absent.ts';\n${answering(original, 'mended')}`);
    await untilSaid('Could not resolve "./absent.ts"');
    const beside = await cancel();
    writeFileSync(file('lambdas/absent.ts'), '');
    await untilAnswered('mended');

    expect(beside).toContain('good');
    expect(complaints).toContain('The last good version keeps running.');
  });

  it('reports that a change of the stack needs a restart, and continues to serve', async () => {
    writeFileSync(file(stack), `${readFileSync(file(stack), 'utf8')}\nconst (`);
    await untilSaid(`${stack} has changed: restart`);

    expect(await cancel('none')).toMatch(/^400/);
    expect(complaints).not.toMatch(/so_[a-z_]+_\w/);
  });
});
