import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { OrderFieldName } from '../../../lambdas/orders/order-fields.ts';
import { type Order, StoreOrders } from '../store-orders.ts';

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
function answerWith(...answers: (Response | Error)[]): string[] {
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
const one = () => bodyOf('[{"id":1}]');
/** A response whose connection fails after a text. */
const broken = (text: string, init?: ResponseInit) =>
  new Response(
    silentAfter(text, (body) => body.error(new TypeError('terminated'))),
    init,
  );
const noContent = () => new Response(null, { status: 204 });

function errorResponse(status: number, code: string, headers: Record<string, string> = {}) {
  return Response.json({ code, message: 'It says why.', status }, { status, headers });
}

/** The result or the error of the work, and the seconds that the work takes on the fake clock. */
async function timed(work: Promise<unknown>) {
  const startMs = Date.now();
  const results: unknown[] = [];
  work.catch((error: unknown) => error).then((result) => results.push(result));
  while (results.length === 0) await jest.advanceTimersToNextTimerAsync();
  return { result: results[0], seconds: (Date.now() - startMs) / 1_000 };
}

/** The result or the error of the work, which requests all answers and waits for some seconds and short pauses. */
async function outcome(
  work: () => Promise<unknown>,
  answers: (Response | Error)[],
  expectedSeconds = 0,
): Promise<unknown> {
  const requests = answerWith(...answers);
  const { result, seconds } = await timed(work());
  expect(requests).toHaveLength(answers.length);
  expect(Math.floor(seconds - expectedSeconds)).toBe(0);
  return result;
}

describe('the list of the example client', () => {
  const body = Readable.from([Buffer.from('[{"id":1}'), Buffer.from(']')]);
  const ofNode = { status: 200, headers: new Headers(), body } as unknown as Response;

  it('has every digit of every integer, wherever the response is split', async () => {
    const text =
      '[{"id":9223372036854775807,"petId":7,"quantity":2,"shipDate":"}\\"{]é 7","complete":false},' +
      '{"id":-1,"quantity":9007199254740993,"new":[1.5,{"integer":"7"}]}]';
    // This does not compile if the client's type lacks a field of the contract.
    const of = (id: bigint, rest: Partial<Pick<Order, OrderFieldName>>) => ({ id, ...rest });
    const orders = [
      of(9223372036854775807n, { petId: 7n, quantity: 2n, shipDate: '}"{]é 7', complete: false }),
      { id: -1n, quantity: 9007199254740993n, new: [1.5, { integer: '7' }] },
    ];
    const bytes = Buffer.from(text);

    for (let at = 0; at <= bytes.length; at++) {
      answerWith(bodyOf(bytes.subarray(0, at), bytes.subarray(at)));
      expect(await list()).toEqual(orders);
    }
  });

  it('can be empty and contain white space, and leaves no timer that would keep a process alive', async () => {
    answerWith(bodyOf(' [ ', ' ]\n'), bodyOf(' [ {"id":1} ,\n', ' {"id":2} ]\n'));

    expect([await list(), await list()]).toEqual([[], [{ id: 1n }, { id: 2n }]]);
    expect(jest.getTimerCount()).toBe(0);
  });

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

  it('can be aborted while it is read', async () => {
    const abort = new AbortController();
    answerWith(new Response(silentAfter('[{"id":1}')));
    const read = async () => {
      for await (const _ of client().orders(abort.signal)) abort.abort(new Error('enough'));
    };

    expect(await timed(read())).toEqual({ result: new Error('enough'), seconds: 0 });
  });

  it.each([
    ['the body of a replaced `fetch`, which is a stream of Node', [ofNode], 0],
    ['a text without an order, and a list', [bodyOf('['), one()], 0],
    ['the end of a list, and a list', [bodyOf(']'), one()], 0],
    ['a list in a list, and a list', [bodyOf('[[{"id":1}]]'), one()], 0],
    ['a broken connection, and a list', [broken('[{"id":'), one()], 0],
    ['the page of a proxy, and a list', [bodyOf('<html>{"id":1}]'), one()], 0],
    ['silence, and a list', [new Response(new ReadableStream()), one()], 30],
  ])('is read from %s', async (_, answers, expectedSeconds) => {
    expect(await outcome(list, answers, expectedSeconds)).toEqual([{ id: 1n }]);
  });

  it.each([
    ['[{"id":1},{"i', () => bodyOf('[{"id":1},{"i'), 0],
    ['[{"id":1}][{"id":1}]', () => bodyOf('[{"id":1}][{"id":1}]'), 0],
    ['[{"id":1}{"id":2}]', () => bodyOf('[{"id":1}{"id":2}]'), 0],
    ['an order and silence', () => new Response(silentAfter('[{"id":1},')), 30],
  ])('is to be discarded if it is %s', async (_, answer, expectedSeconds) => {
    expect(await outcome(list, [answer()], expectedSeconds)).toMatchObject({
      ...{ name: 'StoreOrdersError', code: 'incomplete_list', status: 200 },
      message: expect.stringContaining('Discard the orders of this list'),
    });
  });
});

describe('a cancellation of the example client', () => {
  const conflict = errorResponse(409, 'order_already_cancelled');
  const banned = broken('{', { status: 429, headers: { 'Retry-After': '300' } });
  const cancel = () => client().cancelOrder(1n);

  it.each([
    ['409 after a lost response', [new TypeError('terminated'), conflict], 0, 'already cancelled'],
    ['204 after the page of a proxy', [new Response('<html>'), noContent()], 0, 'cancelled'],
    ['R25: 204 after the wait of a 429 that is cut off', [banned, noContent()], 300, 'cancelled'],
  ])('succeeds: %s', async (_, answers, expectedSeconds, expected) => {
    expect(await outcome(cancel, answers, expectedSeconds)).toBe(expected);
  });

  it('throws what the body of an error says, with the id of the request, at once', async () => {
    const headers = { 'x-amz-apigw-id': 'abc=' };
    const forbidden = new Response('{"message":"Forbidden"}', { status: 403, headers });

    expect(await outcome(cancel, [forbidden])).toMatchObject({
      ...{ code: 'unknown', message: 'Forbidden', status: 403, requestId: 'abc=' },
    });
  });

  it('reports each attempt and the wait after it, for which all requests wait, and uses the given fetch', async () => {
    const onAttempt = jest.fn();
    const lowest = -9223372036854775808n;
    const limits = { RateLimit: '"minute";r=2;t=20, "day";r=3;t=900' };
    const answers = [errorResponse(429, 'api_key_banned', { 'Retry-After': '30' })];
    const fetch = async () =>
      answers.shift() ?? new Response(null, { status: 204, headers: limits });
    const orders = new StoreOrders('https://store.example/v1/', 'a-key', { fetch, onAttempt });

    const { seconds } = await timed(
      Promise.all([orders.cancelOrder(7), orders.cancelOrder(lowest)]),
    );

    expect(onAttempt.mock.calls).toEqual([
      ['DELETE', '/store/orders/7', 429, 30_000],
      ['DELETE', `/store/orders/${lowest}`, 204, 20_000],
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
    const requests = answerWith(noContent());

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
      noContent(),
    );
    const orders = client();
    const abort = new AbortController();
    const cancellations = [1n, 2n].map((id) => orders.cancelOrder(id, abort.signal).catch(String));
    await jest.advanceTimersByTimeAsync(1_000);

    abort.abort('no longer wanted');

    expect(await Promise.all(cancellations)).toEqual(['no longer wanted', 'no longer wanted']);
    expect(jest.getTimerCount()).toBe(0);
    const { result, seconds } = await timed(orders.cancelOrder(3n));
    expect(result).toBe('cancelled');
    expect(seconds).toBeGreaterThanOrEqual(7_199);
    expect(requests).toHaveLength(2);
  });
});

/** A body that sends nothing after a text, unless it is told what it does then. */
function silentAfter(text: string, pull?: (body: ReadableStreamDefaultController) => void) {
  return new ReadableStream({ start: (body) => body.enqueue(Buffer.from(text)), pull: pull! });
}
