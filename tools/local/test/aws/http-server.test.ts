import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Gateway } from '../../aws/api-gateway/gateway.ts';
import { GatewayFault } from '../../aws/api-gateway/gateway-fault.ts';
import type { IncomingRequest } from '../../aws/api-gateway/incoming-request.ts';
import type { GatewayAnswer } from '../../aws/api-gateway/request-context.ts';
import { type AnsweredRequest, type Handler, startHttpServer } from '../../aws/http-server.ts';

const bodyMaxBytes = 10_485_760;

const answerOf = (text: string, statusCode = 200): GatewayAnswer => ({
  statusCode,
  headers: [
    ['X-Own', 'a'],
    ['X-Own', 'b'],
  ],
  body: Buffer.from(text),
});

/** What the gateway was asked for, and the faults that it answered. */
let requests: IncomingRequest[];
let faults: unknown[];
let answer: (request: IncomingRequest) => GatewayAnswer | Promise<GatewayAnswer>;
let handlers: Handler[];
let answered: AnsweredRequest[];
let running: Awaited<ReturnType<typeof startHttpServer>> | undefined;
let hasAnswered: PromiseWithResolvers<void>;

beforeEach(() => {
  requests = [];
  faults = [];
  answer = () => answerOf('from the gateway');
  handlers = [];
  answered = [];
  hasAnswered = Promise.withResolvers();
});

afterEach(async () => {
  await running?.close();
  running = undefined;
});

async function start(host = '127.0.0.1'): Promise<string> {
  const gateway = {
    answer: async (received: IncomingRequest) => {
      requests.push(received);
      return answer(received);
    },
    answerFault: (fault: unknown) => {
      faults.push(fault);
      return answerOf('fault', 418);
    },
  };
  running = await startHttpServer({
    gateway: gateway as unknown as Gateway,
    handlers,
    host,
    port: 0,
    now: () => 1_700_000_000_000,
    onAnswered: (each) => {
      answered.push(each);
      hasAnswered.resolve();
    },
  });
  return running.origin;
}

/** Sends a request that its test may end at any time. */
async function open(options: object = {}, body?: string): Promise<ClientRequest> {
  const call = request(await start(), options);
  call.on('error', () => {});
  if (body === undefined) call.end();
  else call.write(body);
  return call;
}

describe('the server of a gateway', () => {
  it('passes a request on unchanged, and sends the response with all of its headers', async () => {
    const path = `/${'9'.repeat(500_000)}`;
    const origin = await start();

    const response = await fetch(`${origin}${path}?b=%2f`, {
      method: 'PUT',
      headers: { 'X-Sent': 'y' },
      body: 'ä',
    });

    const own = response.headers.get('x-own');
    expect([response.status, own, await response.text()]).toEqual([
      200,
      'a, b',
      'from the gateway',
    ]);
    expect(requests).toMatchObject([
      {
        method: 'PUT',
        path,
        query: new Map([['b', ['/']]]),
        body: Buffer.from('ä'),
        timeMs: 1_700_000_000_000,
      },
    ]);
    expect(response.headers.get('date')).toBe('Tue, 14 Nov 2023 22:13:20 GMT');
    expect(requests[0]!.headers.get('x-sent')?.values).toEqual(['y']);
  });

  it('breaks off a response that a handler has sent in part', async () => {
    handlers = [
      (_, outgoing) => {
        outgoing.write('half');
        throw new Error('oops');
      },
    ];

    const answering = fetch(await start()).then((response) => response.text());

    await expect(answering).rejects.toThrow();
    expect(faults).toEqual([]);
  });

  it.each([
    ['HEAD', 200, '5'],
    ['GET', 204, null],
  ])('sends no body to %s with status %s', async (method, status, length) => {
    answer = () => answerOf('12345', status);

    const response = await fetch(await start(), { method });

    expect(await response.text()).toBe('');
    expect(response.headers.get('content-length')).toBe(length);
  });

  it("refuses a body above 10 MB, and serves the client's next request", async () => {
    answer = ({ body }) => answerOf(String(body.length));
    const origin = await start();
    const send = async (bytes: number) => {
      const response = await fetch(origin, { method: 'POST', body: Buffer.alloc(bytes) });
      return [response.status, await response.text()];
    };

    const [refused, taken] = [await send(bodyMaxBytes + 1), await send(bodyMaxBytes)];

    expect(refused).toEqual([418, 'fault']);
    expect(faults).toEqual([new GatewayFault('REQUEST_TOO_LARGE')]);
    expect(taken).toEqual([200, String(bodyMaxBytes)]);
  });

  it('reads a body no faster than its client does, and can close while it sends one', async () => {
    let chunks = 0;
    const body = new Readable({
      read() {
        this.push(chunks++ < 2_000 ? Buffer.alloc(65_536) : null);
      },
    });
    answer = () => ({ ...answerOf(''), body });
    const [response] = await once(await open(), 'response');
    response.on('error', () => {});

    for (let before = -1; before !== chunks; await sleep(20)) before = chunks;
    await running!.close();
    running = undefined;
    await hasAnswered.promise;

    // The system's buffers between the server and the client hold up to 36 MB, which are 550 chunks.
    expect(chunks).toBeLessThan(800);
  });
});

describe('the report of an answered request', () => {
  it.each([
    ['while its answer is sent', true],
    ['before it has an answer', false],
  ])('shows that a client has disconnected %s', async (_, isAnswered) => {
    const arrived = Promise.withResolvers<void>();
    const body = new Readable({ read() {} });
    body.push('half');
    const given = Promise.withResolvers<GatewayAnswer>();
    handlers = [
      (_, outgoing) => {
        outgoing.once('close', () => given.resolve({ ...answerOf(''), body }));
        return false;
      },
    ];
    answer = () => {
      arrived.resolve();
      return isAnswered ? { ...answerOf(''), body } : given.promise;
    };
    const call = await open();
    await arrived.promise;
    if (isAnswered) await once(call, 'response');

    call.destroy();
    await hasAnswered.promise;

    expect(answered.map(({ isComplete }) => isComplete)).toEqual([false]);
    expect(body.destroyed).toBe(true);
  });
});
