import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { StartEnvironment } from '../../../local/functions/execution-environment.ts';
import {
  counting,
  errorOf,
  FunctionUnderTest,
  type Invoked,
  streaming,
  streamOf,
} from './function-under-test.ts';

const never = 'await new Promise(() => {});';
/** Writes, and waits until that has left the function. */
const writeFirst = `
  output.write('first,');
  await new Promise((resolve) => output.write('second', resolve));`;

interface StreamingOptions {
  /** The number of chunks of 64 KB that a function can write before its reader has read one. */
  readonly maxChunksAhead: number;
  /** @default - starts a worker thread */
  readonly startEnvironment?: StartEnvironment;
}

/** As `describeFunctions`, for functions that stream. */
export function describeStreamingFunctions(
  environment: string,
  { maxChunksAhead, startEnvironment }: StreamingOptions,
): void {
  const tested = new FunctionUnderTest(startEnvironment);
  const prepare: FunctionUnderTest['prepare'] = (...parameters) => tested.prepare(...parameters);
  /** More than a function can write before it has to wait for its reader. */
  const chunks = 2 * maxChunksAhead;

  describe(`a streaming function in ${environment}`, () => {
    afterEach(() => tested.close());

    it('has what it writes handed on, the metadata first', async () => {
      const invoke = prepare(
        streaming(`
          const stream = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
          stream.write('one '); stream.write(Buffer.from('two')); stream.end();
        `),
      );

      const text = (await buffer(await streamOf(invoke()))).toString();

      expect(text).toBe(`{"statusCode":201}${'\0'.repeat(8)}one two`);
    });

    it('may begin with nothing, and write what is no text as JSON', async () => {
      const invoke = prepare(
        streaming(`
          const stream = awslambda.HttpResponseStream.from(output, { statusCode: 201 });
          stream.write(''); stream.write({ a: 1 }); stream.end();
        `),
      );

      const text = (await buffer(await streamOf(invoke()))).toString();

      expect(text).toBe(`{"statusCode":201}${'\0'.repeat(8)}{"a":1}`);
    });

    it('sends no metadata when it never writes', async () => {
      const invoke = prepare(
        streaming('awslambda.HttpResponseStream.from(output, { statusCode: 201 }).end();'),
      );

      expect(await buffer(await streamOf(invoke()))).toHaveLength(0);
    });

    it('that fails before it writes fails like any other', async () => {
      const error = await errorOf(prepare(streaming("throw new RangeError('early')"))());

      expect(error).toMatchObject({ errorType: 'RangeError', errorMessage: 'early' });
    });

    it.each([
      ['fails', "throw new Error('midway');", 'Error: midway'],
      [
        'adds metadata when it has begun',
        'awslambda.HttpResponseStream.from(output, {});',
        'Runtime.InvalidStreamingOperation: Cannot set content-type, too late.',
      ],
      [
        'breaks its stream, and fails',
        "output.removeAllListeners('error').on('error', () => {}).destroy(); throw new Error();",
        'Runtime.TruncatedResponse: The response ended before it was complete.',
      ],
    ])('that %s midway breaks off, and its environment goes on', async (_, statement, error) => {
      const invoke = prepare(
        `${counting} ${streaming(`
          calls++;
          if (event.short) return output.end(String(calls));
          ${writeFirst} ${statement}
        `)}`,
        { maxEnvironments: 1 },
      );

      expect(await readUntilBroken(invoke())).toEqual(['first,second', error]);
      expect(await readUntilBroken(invoke({ short: true }))).toEqual(['2']);
    });

    it.each([
      ['destroys its stream', 'output.destroy();'],
      [
        'destroys its stream with an error',
        "output.destroy(new Error('broken')); throw new Error();",
      ],
      ['writes after the end', "output.end('.'); output.write('more');"],
      ['has a rejection that nothing handles', "Promise.reject(new Error('nobody'));"],
      ['exits', 'process.exit(1);'],
    ])('that %s midway breaks off, and its environment ends', async (_, statement) => {
      const invoke = prepare(
        `${counting} ${streaming(`
          calls++;
          if (event.short) return output.end(String(calls));
          ${writeFirst} ${statement} ${never}
        `)}`,
        { maxEnvironments: 1 },
      );

      const [text] = await readUntilBroken(invoke());
      expect(text).toMatch(/^first,second\.?$/);
      expect(await readUntilBroken(invoke({ short: true }))).toEqual(['1']);
    });

    it('that fails when its stream has ended has answered', async () => {
      const invoke = prepare(streaming("output.end('all'); throw new Error('after');"));

      expect(await readUntilBroken(invoke())).toEqual(['all']);
      await tested.logged('after');
    });

    it('that does not end its stream runs until it times out', async () => {
      const invoke = prepare(streaming("output.write('x');"), { lambda: { timeoutMs: 100 } });
      let received: [text: string, error?: string];
      // On a busy machine, its time may have passed before it has written.
      do received = await readUntilBroken(invoke());
      while (received[0] === '');

      expect(received).toEqual(['x', expect.stringContaining('timed out after 0.10 seconds')]);
    });

    it('that promises nothing fails', async () => {
      const code = `exports.handler = awslambda.streamifyResponse((event, output) => {});`;

      expect((await errorOf(prepare(code)()))?.errorMessage).toBe(
        'Streaming does not support non-async handlers.',
      );
    });

    it('waits for its reader', async () => {
      const invoke = prepare(
        `${streaming(`
          const chunk = Buffer.alloc(65536);
          for (let index = 0; index < ${chunks}; index++) {
            globalThis.written = index;
            if (!output.write(chunk)) await new Promise((resolve) => output.once('drain', resolve));
          }
          output.end();
        `)}setInterval(() => console.log('written', globalThis.written), 5).unref();`,
      );

      const stream = await streamOf(invoke());
      // A busy machine may report several times before the first chunk is written.
      const reports = () =>
        tested.lines.map((line) => Number(line.split(' ').at(-1))).filter(Number.isFinite);
      while (reports().length < 10) await sleep(5);

      expect(reports().at(-1)).toBeLessThan(maxChunksAhead);
      expect(await buffer(stream)).toHaveLength(chunks * 65_536);
    });

    it('goes on to its end when its reader has gone away, and only then serves the next', async () => {
      const invoke = prepare(
        `${counting} let isAllWritten = false; ${streaming(`
          calls++;
          if (event.short) return output.end(JSON.stringify({ calls, isAllWritten }));
          for (let index = 0; index < ${chunks}; index++) {
            const hasRoom = output.write(Buffer.alloc(65536));
            if (!hasRoom) await new Promise((resolve) => output.once('drain', resolve));
          }
          isAllWritten = true;
          output.end();
        `)}`,
        { maxEnvironments: 1 },
      );

      const stream = await streamOf(invoke());
      await new Promise((resolve) => stream.once('readable', resolve));
      stream.destroy();
      const [next] = await readUntilBroken(invoke({ short: true }));

      expect(JSON.parse(next)).toEqual({ calls: 2, isAllWritten: true });
    });
  });
}

/** What came through a stream, and why there is no more when it broke off. */
async function readUntilBroken(invoked: Invoked): Promise<[text: string, error?: string]> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of await streamOf(invoked)) chunks.push(chunk);
  } catch (error) {
    return [Buffer.concat(chunks).toString(), (error as Error).message];
  }
  return [Buffer.concat(chunks).toString()];
}
