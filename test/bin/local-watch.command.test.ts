import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { copySources, type SourceCopy } from '../../bench/source-copy.ts';
import { type Ready, type Run, startRun } from '../contract/running-service.ts';

// A change of the template is synthesized, in a process of its own.
jest.setTimeout(60_000);

const handler = 'lambdas/cancel-order.ts';
const parsed = '  const orderId = parseOrderId(event.pathParameters?.orderId);\n';
const limit = 'lib/api/gateway-responses.ts';

let sources: SourceCopy;
let run: Run;
let ready: Ready;
let original: string;
let complaints = '';

beforeAll(async () => {
  sources = copySources();
  original = readFileSync(file(handler), 'utf8');
  run = startRun(['--watch', '--json', '--port', '0'], {}, sources.directory);
  run.child.stderr!.on('data', (chunk) => {
    complaints += chunk;
  });
  ready = JSON.parse(await run.started);
});

afterAll(async () => {
  run.child.kill('SIGTERM');
  await run.exited;
  sources[Symbol.dispose]();
});

const file = (name: string) => join(sources.directory, name);

/** The handler, with an answer of its own for the order 0. */
const answering = (message: string) =>
  original.replace(
    parsed,
    `${parsed}  if (orderId === '0') throw new ApiError(400, 'changed', '${message}');\n`,
  );

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

    writeFileSync(file(handler), answering('in place'));
    await untilAnswered('in place');
    writeFileSync(file('lambdas/.saved'), answering('renamed'));
    renameSync(file('lambdas/.saved'), file(handler));
    await untilAnswered('renamed');
    for (const text of ['one', 'two', 'three']) writeFileSync(file(handler), answering(text));
    await untilAnswered('three');
    isDone = true;

    expect([...new Set((await others).map((answer) => answer.slice(0, 4)))]).toEqual(['400 ']);
  });

  it('serves the last good handler until a broken one is mended', async () => {
    writeFileSync(file(handler), answering('good'));
    await untilAnswered('good');

    writeFileSync(file(handler), `${answering('broken')}\nconst (`);
    await untilSaid('Expected identifier but found "("');
    const beside = await cancel();
    writeFileSync(file(handler), `throw new Error('while loading');\n${answering('broken')}`);
    await untilSaid('Error: while loading');
    const besideAgain = await cancel();
    writeFileSync(file(handler), answering('mended'));
    await untilAnswered('mended');

    expect([beside, besideAgain].join()).not.toContain('broken');
    expect([beside, besideAgain].map((answer) => answer.includes('good'))).toEqual([true, true]);
    expect(complaints).toContain('The last good version goes on.');
  });

  it('runs another template, and the last good one until a broken one is mended', async () => {
    const responses = readFileSync(file(limit), 'utf8');
    const unknown = async () => (await fetch(`${ready.baseUrl}/nothing`)).text();
    expect(await unknown()).toContain('There is no such path or method.');

    writeFileSync(file(limit), `${responses}\nconst (`);
    await untilSaid('the template could not be synthesized');
    const beside = await unknown();
    writeFileSync(
      file(limit),
      responses.replace("'There is no such path", "'Nothing is there, path"),
    );
    while (!(await unknown()).includes('Nothing is there, path')) await sleep(20);

    expect(beside).toContain('There is no such path or method.');
    expect(await cancel('none')).toMatch(/^400/);
    expect(complaints).toMatch(/new template after [\d.]+ s/);
    expect(complaints).not.toMatch(/so_test_/);
  });
});
