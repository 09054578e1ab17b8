import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { gzipCompressor, ordersBody } from '../../../lambdas/list-orders/orders-body.ts';
import type { OrdersPage } from '../../../lambdas/list-orders/orders-page.ts';

describe('ordersBody', () => {
  it('is one JSON array of all pages', async () => {
    const { stream, totals } = ordersBody(
      pages([',{"id":1},{"id":2}', ',{"id":3}'], [',{"id":4}']),
    );

    expect(await text(stream)).toBe('[{"id":1},{"id":2},{"id":3},{"id":4}]');
    expect(totals).toEqual({ orders: 3, bytes: 37 });
  });

  it.each([
    ['no page', []],
    ['an empty page', [[]]],
    ['several empty pages', [[], [], []]],
  ])('is an empty array of %s', async (_what, of) => {
    expect(await text(ordersBody(pages(...of)).stream)).toBe('[]');
  });

  it('takes no notice of an empty page between others', async () => {
    const { stream } = ordersBody(pages([], [',{"id":1}'], [], [',{"id":2}'], []));

    expect(await text(stream)).toBe('[{"id":1},{"id":2}]');
  });

  it('is read through a compressor where there is one, and counts what comes out', async () => {
    const orders = Array.from({ length: 20_000 }, (_, id) => `,{"id":${id}}`).join('');
    const { stream, totals } = ordersBody(pages([orders]), await gzipCompressor());

    const compressed = Buffer.concat(await stream.toArray());

    expect(JSON.parse(gunzipSync(compressed).toString())).toHaveLength(20_000);
    expect(totals.bytes).toBe(compressed.length);
  });

  it('is compressed in the least time, as the header of gzip says', async () => {
    const { stream } = ordersBody(pages([',{"id":1}']), await gzipCompressor());

    const compressed = Buffer.concat(await stream.toArray());

    // RFC 1952, section 2.3.1: XFL is 4 where the fastest algorithm was used.
    expect(compressed[8]).toBe(4);
  });

  it('yields copies, so that a buffer can be used again', async () => {
    const buffer = Buffer.from(',{"id":1}');
    const { stream } = ordersBody(
      (async function* () {
        yield page([buffer], () => buffer.fill('#'));
      })(),
    );

    expect(await text(stream)).toBe('[{"id":1}]');
    expect(buffer.toString()).toBe('#########');
  });

  it.each([
    ['plain', async () => undefined],
    ['compressed', gzipCompressor],
  ])('breaks off without its end when a page fails: %s', async (_what, compressor) => {
    const failure = new Error('the table is gone');
    let stopped = 0;
    const failing = (async function* () {
      yield page([Buffer.from(',{"id":1}')]);
      throw failure;
    })();
    const { stream } = ordersBody(failing, await compressor(), () => stopped++);

    await expect(stream.toArray()).rejects.toBe(failure);
    expect(stopped).toBe(1);
  });

  it.each([
    ['plain', async () => undefined],
    ['compressed', gzipCompressor],
  ])('stops the work when its reader leaves: %s', async (_what, compressor) => {
    let stopped = 0;
    const endless = (async function* () {
      for (;;) yield page([Buffer.alloc(100_000, ' ')]);
    })();
    const { stream } = ordersBody(endless, await compressor(), () => stopped++);
    await once(stream, 'readable');

    stream.destroy();
    await once(stream, 'close');
    await new Promise((resolve) => setImmediate(resolve));

    expect(stopped).toBe(1);
    expect(await endless.next()).toEqual({ done: true, value: undefined });
  });

  it('asks for no page that nobody has room for', async () => {
    let asked = 0;
    const counted = (async function* () {
      for (; asked < 100; asked++) yield page([Buffer.alloc(100_000, ' ')]);
    })();
    const { stream } = ordersBody(counted);
    stream.once('readable', () => {});

    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));

    expect(asked).toBeLessThan(5);
  });
});

async function* pages(...all: string[][]): AsyncGenerator<OrdersPage, void, void> {
  for (const buffers of all) yield page(buffers.map((buffer) => Buffer.from(buffer)));
}

function page(buffers: Buffer[], release: () => void = () => {}): OrdersPage {
  const count = buffers.length;
  return {
    buffers,
    release,
    count,
    exceptedCount: 0,
    ids: undefined,
    lastEvaluatedKey: undefined,
  };
}
