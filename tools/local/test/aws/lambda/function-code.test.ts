import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../../test/helpers/temporary-directory.ts';
import { type InvocationResult, loadFunction } from '../../../aws/lambda/function-code.ts';

const directory = temporaryDirectoryOfEachTest();
let lines: string[];

beforeEach(() => {
  lines = [];
});

/** Loads a function from the text of its file. */
function load(code: string) {
  directory.write('index.js', code);
  return loadFunction({
    name: 'fn',
    codeDirectory: directory.path,
    handler: 'index.handler',
    environment: { OWN: 'own' },
    log: (line) => lines.push(line),
  });
}

const loadStreaming = (body: string) =>
  load(`exports.handler = awslambda.streamifyResponse(async (event, output) => { ${body} });`);

async function payloadOf(result: Promise<InvocationResult>) {
  const { payload } = (await result) as Extract<InvocationResult, { payload: string }>;
  return JSON.parse(payload);
}

async function streamOf(result: Promise<InvocationResult>) {
  return ((await result) as Extract<InvocationResult, { stream: Readable }>).stream;
}

describe('a function', () => {
  it('gets its event, the context that Lambda gives and its own variables, and keeps what it has loaded', async () => {
    const invoke = load(`let calls = 0;
      const { env } = require('node:process');
      exports.handler = async (event, context) => {
        const { gzipSync } = await import('node:zlib');
        const left = context.getRemainingTimeInMillis();
        return { event, ...context, left, env, zip: typeof gzipSync, calls: ++calls };
      };`);

    await invoke({});

    expect(await payloadOf(invoke({ a: 1, left: undefined }))).toEqual({
      event: { a: 1 },
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      functionName: 'fn',
      left: 900_000,
      env: { OWN: 'own' },
      zip: 'function',
      calls: 2,
    });
  });

  it('logs whole lines, whatever they are written with', async () => {
    const invoke = load(`exports.handler = async () => {
      process.stdout.write('half '); process.stdout.write('line\\n');
      console.log('two\\nlines', { a: 1 }); console.error('to the log too'); };`);

    await invoke({});

    expect(lines).toEqual(['half line', 'two', 'lines { a: 1 }', 'to the log too']);
  });

  it.each([
    ['throws', "throw new RangeError('oops')", 'RangeError', 'oops'],
    ['throws no error', "throw 'oops'", 'string', 'oops'],
    ['returns what is not JSON', 'const a = {}; a.a = a; return a', 'TypeError', 'circular'],
  ])('that %s fails, and serves the next invocation', async (_, statement, type, message) => {
    const invoke = load(`exports.handler = async ({ bad }) => { if (bad) { ${statement} } };`);

    const failed = await invoke({ bad: true });

    const error = { errorType: type, errorMessage: expect.stringContaining(message) };
    expect(failed).toMatchObject({ error });
    expect(lines.join()).toMatch(`Invoke Error {"errorType":"${type}"`);
    expect(await payloadOf(invoke({}))).toBeNull();
  });

  it.each([
    ['throws while it is loaded', "throw new Error('at start')", 'at start'],
    ['does not parse', 'exports.handler = async ( => {}', "token '=>'"],
  ])('that %s fails every invocation', async (_, code, message) => {
    const invoke = load(code);

    await invoke({});

    const error = { errorMessage: expect.stringContaining(message) };
    expect(await invoke({})).toMatchObject({ error });
    expect(lines.filter((line) => line.startsWith('Init Error'))).toHaveLength(1);
  });
});

describe('a streaming function', () => {
  it('sends its prelude with the first chunk, and may use a buffer again', async () => {
    const invoke = loadStreaming(`
      const own = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
      const part = Buffer.from('one,');
      for (const text of ['one,', 'two,', 'six,']) {
        part.write(text);
        await new Promise((written) => own.write(part, written));
      }
      own.end();`);

    const stream = await streamOf(invoke({}));
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    const sent = await buffer(stream);

    expect(String(sent)).toBe(`{"statusCode":201}${'\0'.repeat(8)}one,two,six,`);
  });

  it.each([
    ['fails midway', "throw new Error('midway')", 'Error: midway'],
    ['destroys its stream', 'output.destroy()', 'Premature close'],
  ])('that %s breaks its stream', async (_, statement, message) => {
    const later = 'await new Promise(setImmediate)';
    const stream = await streamOf(loadStreaming(`output.write('1'); ${later}; ${statement}`)({}));

    await expect(text(stream)).rejects.toThrow(message);
    expect(lines.join()).toContain('Invoke Error');
  });

  it('that fails before its first chunk has only an error', async () => {
    const invoke = loadStreaming("throw new Error('early')");

    expect(await invoke({})).toMatchObject({ error: { errorMessage: 'early' } });
  });

  it('waits for its reader before it writes more', async () => {
    const invoke = loadStreaming(`
      for (let index = 0; index < 40; index++) {
        console.log('chunk');
        const hasRoom = output.write(Buffer.alloc(65536));
        if (!hasRoom) await new Promise((resolve) => output.once('drain', resolve));
      }
      output.end();`);
    const stream = await streamOf(invoke({}));
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);

    // The stream holds two chunks.
    expect(lines.length).toBeLessThan(4);
    expect(await buffer(stream)).toHaveLength(40 * 65_536);
  });
});
