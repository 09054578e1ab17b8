import { describe, expect, it } from '@jest/globals';
import { StoreOrdersClient } from '../store-orders-client.ts';
import { errorResponse, fakeFetch } from './fake-responses.ts';

function clientOf(...responses: Response[]) {
  const { fetch, asked } = fakeFetch(...responses);
  const backOff = { sleep: async () => {} };
  const settings = { baseUrl: 'http://127.0.0.1/staging/v1', apiKey: 'a-key', backOff, fetch };
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
});
