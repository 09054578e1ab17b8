import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { bodyTimeoutMs, RequestBodies } from '../../local/request-bodies.ts';

const megabyte = 1_048_576;
/** All bodies are cut from this one, because making one of several megabytes takes long. */
const longest = Buffer.alloc(10 * megabyte + 1);

/** A request whose body is written by the test, and its answer, which ends when the test says so. */
function createRequest(headers: Record<string, string> = {}) {
  const incoming = Object.assign(new PassThrough({ highWaterMark: 20 * megabyte }), { headers });
  const outgoing = new PassThrough();
  return { incoming, outgoing };
}

type Exchange = ReturnType<typeof createRequest>;

const read = (bodies: RequestBodies, { incoming, outgoing }: Exchange) =>
  bodies.read(incoming as unknown as IncomingMessage, outgoing as unknown as ServerResponse);

/** Starts reading a body of which so many bytes come, which are all of it, and not the end. */
function unfinished(bodies: RequestBodies, bytes: number) {
  const exchange = createRequest({ 'content-length': String(bytes) });
  const body = read(bodies, exchange);
  body.catch(() => {});
  exchange.incoming.write(longest.subarray(0, bytes));
  return { ...exchange, body };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the body of a request', () => {
  it('is taken whole', async () => {
    const exchange = createRequest();
    const body = read(new RequestBodies(), exchange);

    exchange.incoming.write('one ');
    exchange.incoming.end('two');

    expect(String(await body)).toBe('one two');
  });

  it.each([
    ['says so', { 'content-length': '10485761' }, 0],
    ['turns out to be', {}, 10_485_761],
  ])('is refused when it %s too large', async (_, headers, bytes) => {
    const exchange = createRequest(headers as Record<string, string>);
    const body = read(new RequestBodies(), exchange);

    exchange.incoming.write(longest.subarray(0, bytes));

    await expect(body).rejects.toMatchObject({ type: 'REQUEST_TOO_LARGE' });
  });

  it('is refused when its end does not come in time', async () => {
    const { body } = unfinished(new RequestBodies(), 10);

    jest.advanceTimersByTime(bodyTimeoutMs);

    await expect(body).rejects.toMatchObject({ type: 'BAD_REQUEST_PARAMETERS' });
  });

  it('is refused when it turns out to be unreadable while it comes', async () => {
    const bodies = new RequestBodies();
    const { incoming, body } = unfinished(bodies, 10);

    bodies.refuse(incoming as unknown as IncomingMessage);

    await expect(body).rejects.toMatchObject({ type: 'BAD_REQUEST_PARAMETERS' });
  });

  it('is refused at once when it was found to be unreadable before it is taken', async () => {
    const bodies = new RequestBodies();
    const exchange = createRequest();

    bodies.refuse(exchange.incoming as unknown as IncomingMessage);

    await expect(read(bodies, exchange)).rejects.toMatchObject({ type: 'BAD_REQUEST_PARAMETERS' });
  });

  it.each(['before', 'while'])(
    'is reported as unreadable to a handler that reads it: found %s',
    async (when) => {
      const bodies = new RequestBodies();
      const incoming = createRequest().incoming as unknown as IncomingMessage;
      if (when === 'before') bodies.refuse(incoming);

      const unreadable = bodies.untilUnreadable(incoming);
      bodies.refuse(incoming);

      await expect(unreadable).rejects.toMatchObject({ type: 'BAD_REQUEST_PARAMETERS' });
    },
  );

  it('is refused while others fill the memory that there is for bodies', async () => {
    const bodies = new RequestBodies();
    const sizes = [...Array<number>(6).fill(10 * megabyte), 4 * megabyte, 1];

    const begun = sizes.map((bytes) => unfinished(bodies, bytes));
    for (const { incoming } of begun) incoming.end();
    const results = await Promise.allSettled(begun.map(({ body }) => body));

    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? result.reason : [],
    );
    expect(refused).toEqual([expect.objectContaining({ type: 'THROTTLED' })]);
    expect(results.at(-1)?.status).toBe('rejected');
  });

  it('gives its memory back when its request has been answered', async () => {
    const bodies = new RequestBodies();
    const begun = Array.from({ length: 6 }, () => unfinished(bodies, 10 * megabyte));
    for (const { incoming, outgoing, body } of begun) {
      incoming.end();
      await body;
      outgoing.destroy();
      await new Promise((resolve) => outgoing.once('close', resolve));
    }

    const next = unfinished(bodies, 10 * megabyte);
    next.incoming.end();

    expect((await next.body).length).toBe(10 * megabyte);
  });

  it('gives its memory back when it is refused, and takes none for what still comes', async () => {
    const bodies = new RequestBodies();
    const begun = Array.from({ length: 6 }, () => unfinished(bodies, 10 * megabyte));
    jest.advanceTimersByTime(bodyTimeoutMs);
    await Promise.allSettled(begun.map(({ body }) => body));
    for (const { incoming } of begun) incoming.write(longest.subarray(1));

    const next = unfinished(bodies, 10 * megabyte);
    next.incoming.end();

    expect((await next.body).length).toBe(10 * megabyte);
    expect(begun.map(({ incoming }) => incoming.readableLength)).toEqual(Array(6).fill(0));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends with its client', async () => {
    const { incoming, body } = unfinished(new RequestBodies(), 10);

    incoming.destroy();

    await expect(body).rejects.toThrow('the client has disconnected');
  });
});
