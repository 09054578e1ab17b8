import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OrderFieldName } from '../../../lambdas/orders/order-fields.ts';
import { type Order, StoreOrders, StoreOrdersError } from '../store-orders.ts';

const realFetch = globalThis.fetch;

beforeEach(() => {
  // `nextTick` stays real, because streams wait for the ticks that they schedule.
  const now = Date.parse('2026-11-22T12:00:00Z');
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
  globalThis.fetch = realFetch;
});

/** Answers the client's requests one after the other. @returns the methods and paths of the requests */
function answerWith(...answers: (Response | Error | Promise<Response>)[]): string[] {
  const requests: string[] = [];
  globalThis.fetch = async (url, init) => {
    requests.push(`${init?.method} ${new URL(String(url)).pathname}`);
    expect(init?.redirect).toBe('error');
    // `Accept-Encoding` is left to `fetch`, because a replaced `fetch` may not read every coding.
    expect(init?.headers).toEqual({ Authorization: 'Bearer a-key' });
    const answer = answers.shift();
    if (!answer) throw new Error('The test expects no further request.');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return requests;
}

const client = () => new StoreOrders('http://127.0.0.1/v1', 'a-key');
const list = (signal?: AbortSignal) => Readable.from(client().orders(signal)).toArray();
const bodyOf = (...parts: (string | Uint8Array)[]) =>
  new Response(ReadableStream.from(parts.map((part) => Buffer.from(part))));

function errorResponse(status: number, code: string, headers: Record<string, string> = {}) {
  return Response.json({ code, message: 'It says why.', status }, { status, headers });
}

/** The result of the work, and the seconds that the work takes on the fake clock. */
async function timed<T>(work: Promise<T>): Promise<{ result: T | unknown; seconds: number }> {
  const startMs = Date.now();
  let isDone = false;
  const result = work
    .catch((error: unknown) => error)
    .finally(() => {
      isDone = true;
    });
  while (!isDone) await jest.advanceTimersToNextTimerAsync();
  return { result: await result, seconds: (Date.now() - startMs) / 1_000 };
}

describe('the list of the example client', () => {
  it('has every digit of every integer, wherever the response is split', async () => {
    const text =
      '[{"id":9223372036854775807,"petId":7,"quantity":2,"shipDate":"}\\"{]é 7","complete":false},' +
      '{"id":-1,"quantity":9007199254740993,"new":[1.5,{"integer":"7"}]}]';
    // This does not compile if the client's type lacks a field of the contract.
    const whole: Partial<Pick<Order, OrderFieldName>> = {
      id: 9223372036854775807n,
      petId: 7n,
      quantity: 2n,
      shipDate: '}"{]é 7',
      complete: false,
    };
    const orders = [whole, { id: -1n, quantity: 9007199254740993n, new: [1.5, { integer: '7' }] }];
    const bytes = Buffer.from(text);

    for (let at = 0; at <= bytes.length; at++) {
      answerWith(bodyOf(bytes.subarray(0, at), bytes.subarray(at)));
      expect(await list()).toEqual(orders);
    }
  });

  it('is read even if the body of a replaced `fetch` is a stream of Node', async () => {
    const body = Readable.from([Buffer.from('[{"id":1}'), Buffer.from(']')]);
    answerWith({ status: 200, headers: new Headers(), body } as unknown as Response);

    expect((await timed(list())).result).toEqual([{ id: 1n }]);
  });

  it('can be empty and contain white space, and leaves no timer that would keep a process alive', async () => {
    answerWith(bodyOf(' [ ', ' ]\n'), bodyOf(' [ {"id":1} ,\n', ' {"id":2} ]\n'));

    expect([await list(), await list()]).toEqual([[], [{ id: 1n }, { id: 2n }]]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each(['[{"id":1}][{"id":1}]', '[{"id":1}{"id":2}]', '[[{"id":1}]]', ']'])(
    'is not %s',
    async (text) => {
      answerWith(...Array.from({ length: 5 }, () => bodyOf(text)));

      expect((await timed(list())).result).toMatchObject({ code: 'incomplete_list' });
    },
  );

  it('is read no further than its user asks, and its connection is closed', async () => {
    let sent = 0;
    const cancel = jest.fn<() => void>();
    const pull = (body: ReadableStreamDefaultController) =>
      body.enqueue(Buffer.from(`${sent === 0 ? '[' : ','}{"id":${sent++}}`));
    answerWith(new Response(new ReadableStream({ pull, cancel })));

    for await (const { id } of client().orders()) if (id > 100n) break;

    expect(sent).toBeLessThan(120);
    expect(cancel).toHaveBeenCalled();
  });

  it.each([
    ['a text without an order', () => bodyOf('[')],
    ['a broken connection', () => new Response(ReadableStream.from(failingAfter('[{"id":')))],
    ['the page of a proxy', () => bodyOf('<html>{"id":1}]')],
    ['silence', () => new Response(new ReadableStream())],
  ])('is requested again after %s', async (_, response) => {
    const requests = answerWith(response(), bodyOf('[{"id":1}]'));

    const { result } = await timed(list());

    expect(result).toEqual([{ id: 1n }]);
    expect(requests).toHaveLength(2);
  });

  it.each([
    ['a text that ends', () => bodyOf('[{"id":1},{"i').body, 0],
    ['30 seconds of silence', () => silentAfter('[{"id":1},'), 30],
  ])('is to be discarded after an order and %s', async (_, body, expectedSeconds) => {
    answerWith(new Response(body(), { headers: { 'x-amz-apigw-id': 'abc=' } }));

    const { result, seconds } = await timed(list());

    expect(result).toBeInstanceOf(StoreOrdersError);
    expect(result).toMatchObject({ code: 'incomplete_list', status: 200, requestId: 'abc=' });
    expect(String(result)).toContain('Discard the orders of this list');
    expect(seconds).toBe(expectedSeconds);
  });

  it('can be aborted while it is read', async () => {
    const abort = new AbortController();
    answerWith(new Response(silentAfter('[{"id":1}')));
    const read = async () => {
      for await (const _ of client().orders(abort.signal)) abort.abort(new Error('enough'));
    };

    expect((await timed(read())).result).toEqual(new Error('enough'));
  });
});

describe('a cancellation of the example client', () => {
  it('is a success if the response to an earlier attempt was lost', async () => {
    const requests = answerWith(
      new TypeError('terminated'),
      errorResponse(409, 'order_already_cancelled'),
    );

    const { result } = await timed(client().cancelOrder(-9223372036854775808n));

    expect(result).toBe('already cancelled');
    expect(requests.at(-1)).toBe('DELETE /v1/store/orders/-9223372036854775808');
  });

  it('throws what the body of an error says, with the id of the request, at once', async () => {
    const headers = { 'x-amz-apigw-id': 'abc=' };
    answerWith(new Response('{"message":"Forbidden"}', { status: 403, headers }));

    await expect(client().cancelOrder(1n)).rejects.toMatchObject({
      ...{ code: 'unknown', message: 'Forbidden', status: 403, requestId: 'abc=' },
    });
  });

  it.each([
    ['a short time if it is the page of a proxy', new Response('<html>'), 0],
    [
      'R25: the seconds in Retry-After, even if the body is cut off',
      new Response(ReadableStream.from(failingAfter('{')), { status: 429, ...retryAfter('300') }),
      300,
    ],
    ['30 s for the first byte', new Promise<Response>(() => {}), 30],
  ])('waits: %s', async (_, response, expectedSeconds) => {
    answerWith(response, new Response(null, { status: 204 }));

    const { result, seconds } = await timed(client().cancelOrder(1n));

    expect(result).toBe('cancelled');
    expect(Math.floor(seconds - expectedSeconds)).toBe(0);
  });

  it('reports each attempt and the wait after it, for which all requests wait, and uses the given fetch', async () => {
    const onAttempt = jest.fn();
    const limits = { RateLimit: '"minute";r=2;t=20, "day";r=3;t=900' };
    const answers = [errorResponse(429, 'api_key_banned', { 'Retry-After': '30' })];
    const fetch = async () =>
      answers.shift() ?? new Response(null, { status: 204, headers: limits });
    const orders = new StoreOrders('https://store.example/v1/', 'a-key', { fetch, onAttempt });

    const { seconds } = await timed(Promise.all([orders.cancelOrder(7), orders.cancelOrder(8)]));

    expect(onAttempt.mock.calls).toEqual([
      ['DELETE', '/store/orders/7', 429, 30_000],
      ['DELETE', '/store/orders/8', 204, 20_000],
      ['DELETE', '/store/orders/7', 204, 20_000],
    ]);
    expect(seconds).toBe(50);
  });

  it.each([2 ** 53, 1.5, '7'])(
    'is not sent with an id that may have been rounded to the id of another order: %p',
    async (id) => {
      const requests = answerWith();

      await expect(client().cancelOrder(id as never)).rejects.toThrow(TypeError);
      expect(requests).toEqual([]);
    },
  );

  it.each([
    ['http://127.0.0.1:3000/staging/v1/', {}, '/staging/v1/store/orders/7'],
    ['http://store.example/v1', { allowHttp: true }, '/v1/store/orders/7'],
    ['http://store.example/v1', {}, 'use https'],
    ['http://localhost@store.example/v1', {}, 'use https'],
    // An error of `fetch` would show this key.
    ['https://store.example/v1', {}, 'Error: The API key is malformed.', 'so_test_a\nb'],
  ])('keeps the key from the network: %s %j', async (baseUrl, options, expected, key = 'a-key') => {
    const requests = answerWith(new Response(null, { status: 204 }));

    const cancel = async () => new StoreOrders(baseUrl, key, options).cancelOrder(7n);
    const failure = await cancel().catch(String);

    expect([...requests, failure].join()).toContain(expected);
  });

  it('fails after five attempts, and closes their connections', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.8);
    const signals: (AbortSignal | null | undefined)[] = [];
    globalThis.fetch = async (_, init) => {
      if (signals.push(init?.signal) < 5) return new Promise(() => {});
      throw new TypeError('fetch failed', { cause: new Error('refused') });
    };

    const { result, seconds } = await timed(client().cancelOrder(1n));
    random.mockRestore();

    expect(result).toMatchObject({ code: 'no_response', message: 'No response: Error: refused' });
    // Four times the limit, and pauses of 200, 400, 800 and 1,600 ms.
    expect(seconds).toBe(4 * 30 + 3);
    expect(signals.map((signal) => signal?.aborted)).toEqual(Array(5).fill(true));
  });

  it('can be aborted while it waits, and lets the next request go on', async () => {
    const requests = answerWith(
      errorResponse(429, 'quota_exceeded', { RateLimit: '"minute";r=0;t=7200, "day";r=0;t=9' }),
      new Response(null, { status: 204 }),
    );
    const orders = client();
    const abort = new AbortController();
    const aborted = orders.cancelOrder(1n, abort.signal).catch((error: unknown) => error);
    const waiting = orders.cancelOrder(2n, abort.signal).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(1_000);

    abort.abort(new Error('no longer wanted'));

    expect([String(await aborted), String(await waiting)]).toEqual([
      'Error: no longer wanted',
      'Error: no longer wanted',
    ]);
    expect(jest.getTimerCount()).toBe(0);
    const { result, seconds } = await timed(orders.cancelOrder(3n));
    expect(result).toBe('cancelled');
    expect(seconds).toBeGreaterThanOrEqual(7_199);
    expect(requests).toHaveLength(2);
  });
});

function retryAfter(value: string) {
  return { headers: { 'Retry-After': value } };
}

function silentAfter(text: string) {
  return new ReadableStream({ start: (body) => body.enqueue(Buffer.from(text)) });
}

/** A body whose connection fails after a text. */
async function* failingAfter(text: string) {
  yield Buffer.from(text);
  throw new TypeError('terminated');
}
