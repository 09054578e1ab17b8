import { describe, expect, it } from '@jest/globals';
import { type Order, StoreOrdersClient } from '../store-orders-client.ts';
import { errorResponse, fakeFetch } from './fake-responses.ts';

const baseUrl = 'http://127.0.0.1/staging/v1';

function clientOf(...responses: Response[]) {
  const { fetch, asked } = fakeFetch(...responses);
  const backOff = { sleep: async () => {} };
  const settings = { baseUrl, apiKey: 'a-key', backOff, fetch };
  return { client: new StoreOrdersClient(settings), asked };
}

describe('typed client', () => {
  it('keeps every digit of an id', async () => {
    const body = '[{"id":9223372036854775807,"petId":9007199254740993,"quantity":2}]';
    const { client } = clientOf(new Response(body));

    const orders = await client.listOrders();

    expect(orders).toEqual([{ id: 9223372036854775807n, petId: 9007199254740993n, quantity: 2 }]);
  });

  it('sends every digit of an id', async () => {
    const { client, asked } = clientOf(new Response(null, { status: 204 }));

    const outcome = await client.cancelOrder(9223372036854775807n);

    expect(outcome).toBe('cancelled');
    expect(asked).toEqual(['DELETE /staging/v1/store/orders/9223372036854775807']);
  });

  it('takes an earlier cancellation for success: its answer may have been lost', async () => {
    const { client } = clientOf(
      errorResponse(504, 'timeout'),
      errorResponse(409, 'order_already_cancelled'),
    );

    expect(await client.cancelOrder(1n)).toBe('already cancelled');
  });

  it('throws what the service says', async () => {
    const { client } = clientOf(errorResponse(409, 'order_already_shipped'));

    const cancellation = client.cancelOrder(1n);

    await expect(cancellation).rejects.toMatchObject({
      status: 409,
      code: 'order_already_shipped',
    });
  });

  it.each([
    ['a page of a proxy', '<html>No</html>', { code: 'unknown', message: 'HTTP status 403' }],
    ['nothing', null, { code: 'unknown' }],
    ['JSON of another system', '{"message":"Forbidden"}', { message: 'Forbidden' }],
  ])('falls back to the status where the body is %s', async (_, body, error) => {
    const { client } = clientOf(
      ...[1, 2].map(
        () => new Response(body, { status: 403, headers: body ? {} : { 'Content-Length': '0' } }),
      ),
    );

    await expect(client.listOrders()).rejects.toMatchObject({ status: 403, ...error });
    await expect(client.cancelOrder(1n)).rejects.toMatchObject({ status: 403, ...error });
  });

  it.each([
    ['with an error', () => new Response(failingAfter('[{"id":1}'))],
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
  it('yields an order as soon as it has arrived, wherever its text is split', async () => {
    const text = '[{"id":9223372036854775807,"shipDate":"}\\"{]é"},{"id":-1}]';
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      const parts = [bytes.subarray(0, at), bytes.subarray(at)];
      const { client } = clientOf(new Response(ReadableStream.from(parts)));

      const orders = await all(client);

      expect(orders).toEqual([{ id: 9223372036854775807n, shipDate: '}"{]é' }, { id: -1n }]);
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

      await expect(all(client)).rejects.toThrow('cut off');
    },
  );

  it('yields none of an empty list', async () => {
    const { client } = clientOf(new Response('[]'));

    expect(await all(client)).toEqual([]);
  });
});

async function all(client: StoreOrdersClient): Promise<Order[]> {
  const orders: Order[] = [];
  for await (const order of client.orders()) orders.push(order);
  return orders;
}

/** A body whose connection fails after a text. */
function failingAfter(text: string): ReadableStream {
  return ReadableStream.from(
    (async function* () {
      yield Buffer.from(text);
      throw new TypeError('terminated');
    })(),
  );
}
