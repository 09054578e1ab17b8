import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { StoreOrdersClient } from '../store-orders-client.ts';
import { errorResponse, fakeFetch } from './fake-responses.ts';

const baseUrl = 'http://127.0.0.1/staging/v1';

function clientOf(...responses: Response[]) {
  const { fetch, asked } = fakeFetch(...responses);
  const backOff = { sleep: async () => {} };
  const settings = { baseUrl, apiKey: 'a-key', backOff, fetch };
  return { client: new StoreOrdersClient(settings), asked };
}

describe('typed client', () => {
  it.each([
    [
      409,
      '{"code":"order_already_shipped","message":"It has."}',
      'order_already_shipped',
      'It has.',
    ],
    [403, '<html>No</html>', 'unknown', 'HTTP status 403'],
    [403, '', 'unknown', 'HTTP status 403'],
    [403, '{"message":"Forbidden"}', 'unknown', 'Forbidden'],
  ])(
    'throws what a body says, and otherwise the status: %i %s',
    async (status, body, code, message) => {
      const { client } = clientOf(new Response(body, { status }), new Response(body, { status }));

      await expect(client.listOrders()).rejects.toMatchObject({ status, code, message });
      await expect(client.cancelOrder(1n)).rejects.toMatchObject({ status, code, message });
    },
  );

  it.each([
    ['with an error', () => new Response(ReadableStream.from(failingAfter('[{"id":1}')))],
    ['without one', () => new Response('[{"id":1}')],
  ])('asks again for a list that is cut off %s', async (_, cutOff) => {
    const { client, asked } = clientOf(cutOff(), new Response('[{"id":1},{"id":2}]'));

    expect(await client.listOrders()).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });

  it('stops asking when its signal is aborted', async () => {
    const abort = new AbortController();
    const { fetch } = fakeFetch(errorResponse(503, 'service_unavailable', '60'));
    const client = new StoreOrdersClient({ baseUrl, apiKey: 'a-key', fetch });

    const listing = client.listOrders({ signal: abort.signal });
    setTimeout(() => abort.abort(new Error('no longer wanted')), 10);

    await expect(listing).rejects.toThrow('no longer wanted');
  });
});

describe('an iterator of orders', () => {
  it.each<[string, object[]]>([
    ['[]', []],
    [
      '[{"id":9223372036854775807,"shipDate":"}\\"{]é"},{"id":-1}]',
      [{ id: 9223372036854775807n, shipDate: '}"{]é' }, { id: -1n }],
    ],
  ])('yields the orders of %s, wherever it is split', async (text, orders) => {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      const parts = [bytes.subarray(0, at), bytes.subarray(at)];
      const { client } = clientOf(new Response(ReadableStream.from(parts)));

      expect(await Readable.from(client.orders()).toArray()).toEqual(orders);
    }
  });

  it('reads no further than its user', async () => {
    let sent = 0;
    const endless = ReadableStream.from(
      (function* () {
        for (yield Buffer.from('[{"id":0}'); ; sent++) yield Buffer.from(`,{"id":${sent}}`);
      })(),
    );
    const { client } = clientOf(new Response(endless));

    for await (const { id } of client.orders()) if (id > 100n) break;

    expect(sent).toBeLessThan(120);
  });

  it.each(['[{"id":1}', '[{"id":1},{"i', '['])(
    'throws where the list ends with %s',
    async (text) => {
      const { client } = clientOf(new Response(text));

      await expect(Readable.from(client.orders()).toArray()).rejects.toThrow('cut off');
    },
  );
});

/** A body whose connection fails after a text. */
async function* failingAfter(text: string) {
  yield Buffer.from(text);
  throw new TypeError('terminated');
}
