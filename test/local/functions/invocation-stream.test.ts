import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { creditBytes, InvocationStream } from '../../../local/functions/invocation-stream.ts';

/** Waits until all promises that can settle have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const full = Buffer.alloc(creditBytes);

/** A stream and the credits that it has given. */
function createStream() {
  const credits: number[] = [];
  const stream = new InvocationStream((bytes) => credits.push(bytes));
  return { stream, credits };
}

describe('the output of a streaming function', () => {
  it('gives credit at once for what it has room for', () => {
    const { stream, credits } = createStream();

    stream.receive(Buffer.alloc(10));
    stream.receive(Buffer.alloc(creditBytes - 11));

    expect(credits).toEqual([10, creditBytes - 11]);
  });

  it('gives credit for what fills it when that is read, once', async () => {
    const { stream, credits } = createStream();

    stream.receive(full);
    await settled();
    const before = [...credits];
    stream.read();
    await settled();
    const after = [...credits];
    stream.destroy();
    await settled();

    expect([before, after, credits]).toEqual([[], [creditBytes], [creditBytes]]);
  });

  it.each([
    ['was left to be read', (stream: InvocationStream) => stream.receive(full)],
    ['comes later', async (stream: InvocationStream) => setImmediate(() => stream.receive(full))],
  ])('gives credit for what %s when its reader has gone away', async (_, write) => {
    const { stream, credits } = createStream();

    write(stream);
    stream.destroy();
    await settled();

    expect(credits).toEqual([creditBytes]);
  });

  it('hands on what was written before it fails, and then the error', async () => {
    const { stream } = createStream();
    const chunks: string[] = [];
    stream.receive(Buffer.from('all'));

    stream.fail(new Error('midway'));
    const isBrokenOffUnread = stream.destroyed;
    stream.on('data', (chunk) => chunks.push(String(chunk)));

    await expect(finished(stream)).rejects.toThrow('midway');
    expect([isBrokenOffUnread, ...chunks]).toEqual([false, 'all']);
  });

  it('fails at once when all has been read, also without a reader', () => {
    const { stream } = createStream();

    stream.fail(new Error('midway'));

    expect(stream.errored).toMatchObject({ message: 'midway' });
  });

  it('ends after everything that was written', async () => {
    const { stream } = createStream();
    stream.receive(Buffer.from('all'));

    stream.finish();

    expect(await text(stream)).toBe('all');
  });
});
