import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { temporaryDirectoryOfEachTest } from '../../../../../test/helpers/temporary-directory.ts';
import {
  type InvocationResult,
  type LambdaFunction,
  loadFunction,
} from '../../../aws/lambda/function-code.ts';

const directory = temporaryDirectoryOfEachTest();
const arn = 'arn:aws:lambda:us-east-1:000000000000:function:fn:live';
let lines: string[];

beforeEach(() => {
  lines = [];
});

/** Loads a function from the text of its file. */
function load(code: string, settings: Partial<LambdaFunction> = {}) {
  directory.write('index.js', code);
  const invoke = loadFunction({
    name: 'fn',
    codeDirectory: directory.path,
    handler: 'index.handler',
    memorySizeMb: 512,
    environment: { OWN: 'own' },
    now: Date.now,
    log: (line) => lines.push(line),
    ...settings,
  });
  return (event: object = {}) => invoke(event, arn);
}

const streaming = (body: string) =>
  `exports.handler = awslambda.streamifyResponse(async (event, output) => { ${body} });`;

async function payloadOf(result: Promise<InvocationResult>) {
  const settled = await result;
  if (!('payload' in settled)) throw new Error(JSON.stringify(settled));
  return JSON.parse(settled.payload);
}

async function streamOf(result: Promise<InvocationResult>) {
  const settled = await result;
  if (!('stream' in settled)) throw new Error(JSON.stringify(settled));
  return settled.stream;
}

describe('a function', () => {
  it('gets its event and the context that Lambda gives, and keeps what it has loaded', async () => {
    const invoke = load(`let calls = 0;
      exports.handler = async (event, context) => (
        { event, ...context, remainingMs: context.getRemainingTimeInMillis(), calls: ++calls });`);

    await invoke();
    const received = await payloadOf(invoke({ a: 1, left: undefined }));

    expect(received).toEqual({
      event: { a: 1 },
      calls: 2,
      awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      functionName: 'fn',
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      memoryLimitInMB: '512',
      remainingMs: 900_000,
    });
  });

  it('has its own variables, also if it requires or imports modules, and no others of the machine', async () => {
    const invoke = load(`const fromModule = require('node:process').env;
      exports.handler = async () => {
        const { gzipSync } = await import('node:zlib');
        return { env: process.env, isSame: fromModule === process.env, zip: typeof gzipSync, __dirname };
      };`);

    const { env, ...rest } = await payloadOf(invoke());

    expect(env).toEqual({ OWN: 'own' });
    expect(rest).toEqual({ isSame: true, zip: 'function', __dirname: directory.path });
  });

  it('logs whole lines, whatever they are written with', async () => {
    const invoke = load(`exports.handler = async () => {
      process.stdout.write('half '); process.stdout.write('line\\n');
      console.log('two\\nlines', { a: 1 }); console.error('to the log too'); };`);

    await invoke();

    expect(lines).toEqual(['half line', 'two', 'lines { a: 1 }', 'to the log too']);
  });

  it("reads the run's clock", async () => {
    const invoke = load(
      'exports.handler = () => [Date.now(), new Date(), new Date(5).getTime(), new Date() instanceof Date];',
      { now: () => 1_000 },
    );

    expect(await payloadOf(invoke())).toEqual([1_000, '1970-01-01T00:00:01.000Z', 5, true]);
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
    expect(await payloadOf(invoke())).toBeNull();
  });

  it.each([
    ['throws while it is loaded', "throw new Error('at start')", 'Error', 'at start'],
    ['exports no handler', '', 'TypeError', 'index.handler is not a function'],
    ['does not parse', 'exports.handler = async ( => {}', 'SyntaxError', "token '=>'"],
  ])('that %s fails every invocation', async (_, code, errorType, message) => {
    const invoke = load(code);

    const results = [await invoke(), await invoke()];

    const error = { errorType, errorMessage: expect.stringContaining(message) };
    expect(results).toEqual(Array(2).fill({ error: expect.objectContaining(error) }));
    expect(lines.filter((line) => line.startsWith('Init Error'))).toHaveLength(1);
  });

  it('logs places in its sources instead of those in its bundle, if the bundle has a source map', async () => {
    const source = directory.write(
      'handler.ts',
      "interface Unused {}\n\nexport const handler = () => console.log('here');\n",
    );
    const options = { bundle: true, format: 'cjs', sourcemap: 'inline', write: false } as const;
    const { outputFiles } = await build({
      ...options,
      entryPoints: [source],
      outdir: directory.path,
    });
    const bundle = outputFiles[0]!.text;
    const before = bundle.slice(0, bundle.indexOf('console.log')).split('\n');
    const place = `${join(directory.path, 'index.js')}:${before.length}:${before.at(-1)!.length + 1}`;
    const invoke = load(bundle.replace('console.log("here")', `console.log("at x (${place})")`));

    await invoke();

    expect(lines).toEqual([`at x (${source}:3:30)`]);
  });
});

describe('a streaming function', () => {
  it('sends its prelude with the first chunk, and may use a buffer again', async () => {
    const invoke = load(
      streaming(`
        const own = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
        const part = Buffer.from('one,');
        for (const text of ['one,', 'two,', 'six,']) {
          part.write(text);
          await new Promise((written) => own.write(part, written));
        }
        own.end();`),
    );

    const sent = await buffer(await streamOf(invoke()));

    expect(String(sent)).toBe(`{"statusCode":201}${'\0'.repeat(8)}one,two,six,`);
  });

  it.each([
    ['fails midway', "throw new Error('midway')", 'Error: midway'],
    ['destroys its stream', 'output.destroy()', 'Premature close'],
  ])('that %s breaks its stream', async (_, statement, message) => {
    const invoke = load(
      streaming(`output.write('first'); await new Promise(setImmediate); ${statement}`),
    );

    const stream = await streamOf(invoke());

    await expect(text(stream)).rejects.toThrow(message);
    expect(lines.join()).toContain('Invoke Error');
  });

  it('that fails before its first chunk has only an error', async () => {
    const invoke = load(streaming("throw new Error('early')"));

    expect(await invoke()).toMatchObject({ error: { errorMessage: 'early' } });
  });

  const chunks = 40;
  const writeMuch = `
    for (let index = 0; index < ${chunks}; index++) {
      console.log('chunk ' + index);
      const hasRoom = output.write(Buffer.alloc(65536));
      if (!hasRoom) await new Promise((resolve) => output.once('drain', resolve));
    }
    output.end();`;

  it('waits for its reader before it writes more', async () => {
    const stream = await streamOf(load(streaming(writeMuch))());
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);

    // The stream holds two chunks.
    expect(lines.length).toBeLessThan(4);
    expect(await buffer(stream)).toHaveLength(chunks * 65_536);
  });
});
