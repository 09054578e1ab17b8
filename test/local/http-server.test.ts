import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { GatewayAnswer } from '../../local/exchange/gateway-answer.ts';
import { GatewayFault } from '../../local/exchange/gateway-fault.ts';
import type { RawRequest } from '../../local/exchange/incoming-request.ts';
import type { Gateway } from '../../local/gateway/gateway.ts';
import { type AnsweredRequest, type Handler, startHttpServer } from '../../local/http-server.ts';

const addresses = Object.values(networkInterfaces()).flat();
const hasIpv6 = addresses.some((address) => address?.address === '::1');
const addressesOfIpv6 = [
  ['::', '127.0.0.1', '127.0.0.1'],
  ['::1', '[::1]', '::1'],
];

const answerOf = (text: string, statusCode = 200): GatewayAnswer => ({
  statusCode,
  headers: [
    ['X-Own', 'a'],
    ['X-Own', 'b'],
  ],
  body: Buffer.from(text),
});

/** What the gateway was asked for, and the faults that it answered. */
let requests: RawRequest[];
let faults: GatewayFault[];
let answer: (request: RawRequest) => GatewayAnswer | Promise<GatewayAnswer>;
let handlers: Handler[];
let answered: AnsweredRequest[];
let lines: string[];
let running: Awaited<ReturnType<typeof startHttpServer>>[];
let hasAnswered: PromiseWithResolvers<void>;

beforeEach(() => {
  requests = [];
  faults = [];
  answer = () => answerOf('from the gateway');
  handlers = [];
  answered = [];
  lines = [];
  running = [];
  hasAnswered = Promise.withResolvers();
});

afterEach(() => Promise.all(running.map((server) => server.close())));

async function start(host = '127.0.0.1', isReported = true) {
  const gateway = {
    answer: async (request: RawRequest) => {
      requests.push(request);
      return answer(request);
    },
    answerFault: (fault: GatewayFault, request: RawRequest) => {
      faults.push(fault);
      requests.push(request);
      return answerOf(fault.type, 418);
    },
  };
  const server = await startHttpServer({
    gateway: gateway as unknown as Gateway,
    handlers,
    host,
    port: 0,
    now: () => 1_700_000_000_000,
    onAnswered: isReported
      ? (each) => {
          answered.push(each);
          hasAnswered.resolve();
        }
      : undefined,
    log: (line) => lines.push(line),
  });
  running.push(server);
  return server.origin;
}

/** Sends bytes as they are; gives all that comes back until the connection ends. */
async function exchange(origin: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

const statusesIn = (answers: string) =>
  [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

describe('the server of a gateway', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1', '127.0.0.1'],
    ...(hasIpv6 ? addressesOfIpv6 : []),
  ])('that listens at %s is found at %s, and its client at %s', async (host, name, sourceIp) => {
    const origin = await start(host);

    await (await fetch(origin)).text();

    expect(origin.replace(/:\d+$/, '')).toBe(`http://${name}`);
    expect(requests[0]!.sourceIp).toBe(sourceIp);
  });

  it('hands a request on as it came, and gives the answer with all of its headers', async () => {
    const origin = await start();

    const response = await fetch(`${origin}/a?b=%2f`, {
      method: 'PUT',
      headers: { 'X-Sent': 'y' },
    });

    const own = response.headers.get('x-own');
    expect([response.status, own, await response.text()]).toEqual([
      200,
      'a, b',
      'from the gateway',
    ]);
    expect(requests).toMatchObject([
      { method: 'PUT', target: '/a?b=%2f', httpVersion: '1.1', timeMs: 1_700_000_000_000 },
    ]);
    expect(requests[0]!.rawHeaders.join()).toMatch(/X-Sent,y/i);
  });

  it('asks the handlers in their order before the gateway', async () => {
    const asked: string[] = [];
    handlers = ['first', 'second', 'third'].map((name) => async (_, outgoing) => {
      asked.push(name);
      if (name === 'second') outgoing.end(name);
      return name === 'second';
    });

    const response = await fetch(await start());

    expect(await response.text()).toBe('second');
    expect(asked).toEqual(['first', 'second']);
    expect([requests, answered]).toEqual([[], []]);
  });

  it.each<[string, Error, string, unknown]>([
    ['fault', new GatewayFault('THROTTLED'), 'THROTTLED', undefined],
    ['other error', new TypeError('oops'), 'DEFAULT_5XX', new TypeError('oops')],
  ])('answers the %s of a handler, without its headers', async (_, error, type, cause) => {
    handlers = [
      (_incoming, outgoing) => {
        outgoing.setHeader('X-Half', '1');
        throw error;
      },
    ];

    const response = await fetch(await start());

    expect([response.status, await response.text()]).toEqual([418, type]);
    expect(response.headers.get('x-half')).toBeNull();
    expect(faults.map((fault) => fault.cause)).toEqual([cause]);
  });

  it('breaks an answer off of which a handler has sent a part', async () => {
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
    ['GET', 304, '5'],
  ])('sends no body to %s with status %s', async (method, status, length) => {
    answer = () => answerOf('12345', status);
    const origin = await start();

    const response = await fetch(origin, { method });

    expect(await response.text()).toBe('');
    expect(response.headers.get('content-length')).toBe(length);
  });

  it.each([
    ['100-continue', '1.1', [100, 200]],
    ['100-CONTINUE', '1.1', [100, 200]],
    ['x100-continue', '1.1', [200]],
    ['100-continue-x', '1.1', [200]],
    ['100-continue', '1.0', [200]],
  ])(
    'asks for a body only who expects it to: %s in HTTP/%s',
    async (expectation, version, expected) => {
      answer = async ({ readBody }) => answerOf(String(await readBody?.()));
      const origin = await start();

      const answers = await exchange(
        origin,
        `POST / HTTP/${version}\r\nConnection: close\r\nExpect: ${expectation}\r\nContent-Length: 2\r\n\r\nab`,
      );

      expect(statusesIn(answers)).toEqual(expected);
      expect(answers).toMatch(/ab$/);
    },
  );

  it('answers the requests of a connection in their order, also what is no request', async () => {
    const second = Promise.withResolvers<void>();
    answer = async ({ target }) => {
      if (target === '/first') await second.promise;
      else setImmediate(second.resolve);
      return answerOf(target);
    };

    const answers = await exchange(
      await start(),
      'GET /first HTTP/1.1\r\n\r\nGET /second HTTP/1.1\r\n\r\nnonsense\r\n\r\n',
    );

    expect(statusesIn(answers)).toEqual([200, 200, 418]);
    expect(answers).toMatch(/\/first.*\/second/s);
  });

  it('answers once what becomes unreadable', async () => {
    answer = async ({ readBody }) => answerOf(String(await readBody?.()));
    const head = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';

    const answers = await exchange(await start(), `${head}5\r\nhello\r\nno chunk\r\n`);

    expect(statusesIn(answers)).toEqual([418]);
    expect(faults.map(({ type }) => type)).toEqual(['BAD_REQUEST_PARAMETERS']);
  });

  it('answers a request for a tunnel', async () => {
    const answers = await exchange(await start(), 'CONNECT x:443 HTTP/1.1\r\n\r\n');

    expect(answers).toMatch(/^HTTP\/1.1 418 .*\r\n\r\nMISSING_AUTHENTICATION_TOKEN$/s);
    expect(requests).toMatchObject([{ method: 'CONNECT', target: 'x:443' }]);
  });

  it('asks nothing of the gateway for a client that has gone away', async () => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    answer = ({ signal }) => {
      arrived.resolve();
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          reject(new Error('gone'));
          setImmediate(gone.resolve);
        });
      });
    };
    const call = request(await start()).end();
    call.on('error', () => {});
    await arrived.promise;

    call.destroy();
    await gone.promise;

    expect(faults).toEqual([]);
  });

  it('answers where nobody wants to know of it', async () => {
    const origin = await start('127.0.0.1', false);

    expect((await fetch(origin)).status).toBe(200);
    expect((await fetch(origin)).status).toBe(200);
  });

  it('ends all connections when it is closed, and takes no more', async () => {
    const origin = await start();
    const body = new Readable({ read() {} });
    body.push('half');
    answer = () => ({ ...answerOf(''), body });
    const response = await fetch(origin);

    await running[0]!.close();

    running = [];
    await expect(response.text()).rejects.toThrow();
    await expect(fetch(origin)).rejects.toThrow();
  });

  it('tells who asks for another protocol that it reads no more', async () => {
    const upgrade = 'GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';

    expect(await exchange(await start(), upgrade)).toMatch(/connection: close/i);
  });

  it.each([
    ['nonsense\r\n\r\n', 'BAD_REQUEST_PARAMETERS'],
    [`GET /${'x'.repeat(1_100_000)} HTTP/1.1\r\n\r\n`, 'REQUEST_TOO_LARGE'],
  ])('has what is no request answered, too', async (bytes, type) => {
    const answers = await exchange(await start(), bytes);

    expect(answers).toMatch(new RegExp(`^HTTP/1.1 418 [^]*\r\n\r\n${type}$`));
    expect(requests).toEqual([
      {
        method: '',
        target: '',
        rawHeaders: [],
        body: Buffer.alloc(0),
        sourceIp: '127.0.0.1',
        httpVersion: '1.1',
        timeMs: 1_700_000_000_000,
      },
    ]);
  });

  it('says what fails at its port, and serves on', async () => {
    let server: Server | undefined;
    const find = (message: unknown) => {
      server = (message as { server: Server }).server;
    };
    subscribe('http.server.request.start', find);
    const origin = await start();
    await (await fetch(origin)).text();
    unsubscribe('http.server.request.start', find);

    server?.emit('error', new Error('accept EMFILE'));

    expect(lines).toEqual(['server: accept EMFILE']);
    expect((await fetch(origin)).status).toBe(200);
  });
});

describe('the report of an answered request', () => {
  it('has the request, its answer and its time', async () => {
    const origin = await start();
    const beforeMs = performance.now();

    await (await fetch(`${origin}/a?b`, { method: 'DELETE' })).text();
    await hasAnswered.promise;

    expect(answered).toEqual([
      {
        method: 'DELETE',
        target: '/a?b',
        answer: answerOf('from the gateway'),
        durationMs: expect.any(Number),
        isComplete: true,
      },
    ]);
    expect(answered[0]!.durationMs).toBeGreaterThan(0);
    expect(answered[0]!.durationMs).toBeLessThan(performance.now() - beforeMs);
  });

  it.each([
    ['while its answer is sent', true],
    ['before it has an answer', false],
  ])('tells of a client that goes away %s', async (_, isAnswered) => {
    const arrived = Promise.withResolvers<void>();
    const body = new Readable({ read() {} });
    body.push('half');
    const given = Promise.withResolvers<GatewayAnswer>();
    answer = ({ signal }) => {
      arrived.resolve();
      signal?.addEventListener('abort', () => given.resolve({ ...answerOf(''), body }));
      return isAnswered ? { ...answerOf(''), body } : given.promise;
    };
    const call = request(await start()).end();
    call.on('error', () => {});
    await arrived.promise;
    if (isAnswered) await once(call, 'response');

    call.destroy();
    await hasAnswered.promise;

    expect(answered.map(({ isComplete }) => isComplete)).toEqual([false]);
  });
});
