import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { type LoopbackServer, serve } from '../helpers/loopback-server.ts';

export interface FakeAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** The parts of a request that mutations use. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Changes an answer that would have been right. */
export type Mutation = (answer: FakeAnswer, request: FakeRequest) => void;

export const fakeKey = `so_test_${'0123456789'.repeat(4)}3Xfj2N`;

const orders =
  '[{"id":9223372036854775807,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false},{"id":2}]';
const perMinute = 100;

/**
 * A stage that keeps the contract with canned answers, written from the contract alone, until a
 * mutation spoils one of them. Its minute ends a whole minute after its start.
 */
export async function startFakeStage(mutate: Mutation = () => {}): Promise<LoopbackServer> {
  const answerer = new FakeAnswerer();
  const server = await serve((incoming, response) => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url?.replace(/^\/staging\/v1|\?.*$/g, '') ?? '',
      authorization: incoming.headers.authorization,
    };
    const answer = answerer.answer(request, incoming);
    mutate(answer, request);
    send(response, answer);
  });
  return { ...server, url: `${server.url}/staging/v1` };
}

/** Its time stands still, so that all headers of an answer agree however long the answer takes. */
class FakeAnswerer {
  #remaining = perMinute;
  #isCancelled = false;
  readonly #nowSeconds = Math.floor(Date.now() / 1_000);
  readonly #resetSeconds = (Math.floor(this.#nowSeconds / 60) + 2) * 60;

  answer(request: FakeRequest, incoming: IncomingMessage): FakeAnswer {
    const { headers, ...answer } = this.#answerAtAnyTime(request, incoming);
    const date = new Date(this.#nowSeconds * 1_000).toUTCString();
    return { ...answer, headers: { ...headers, Date: date } };
  }

  #answerAtAnyTime(
    { method, path, authorization }: FakeRequest,
    incoming: IncomingMessage,
  ): FakeAnswer {
    const orderId = /^\/store\/orders\/(.+)$/.exec(path)?.[1];
    const operation = `${method} ${orderId === undefined ? path : '/store/orders/{orderId}'}`;
    if (!operations.has(operation)) return error(404, 'not_found', unknownAllowance);
    if (!/^bearer /i.test(authorization ?? '') || authorization?.slice(7) !== fakeKey) {
      return error(401, 'unauthorized', {
        ...unknownAllowance,
        'WWW-Authenticate': 'Bearer realm="store-orders"',
      });
    }
    if (this.#remaining === 0) return this.#limited();
    this.#remaining--;
    if (operation === 'GET /store/orders') return this.#list(incoming);
    if (operation === 'GET /pets/7') return error(410, 'gone', { ...this.#allowance(), ...gone });
    return this.#cancel(orderId ?? '', incoming);
  }

  #list(incoming: IncomingMessage): FakeAnswer {
    const isZipped = /gzip(?!;q=0)/.test(incoming.headers['accept-encoding'] ?? '');
    return {
      status: 200,
      headers: {
        ...this.#allowance(),
        'Content-Type': 'application/json',
        Vary: 'Accept-Encoding',
        ...(isZipped ? { 'Content-Encoding': 'gzip' } : {}),
      },
      body: isZipped ? gzipSync(orders) : orders,
    };
  }

  #cancel(orderId: string, incoming: IncomingMessage): FakeAnswer {
    const headers = this.#allowance();
    if (incoming.headers['content-type']) return error(400, 'invalid_body', headers);
    if (!/^-?[1-9]\d{0,18}$/.test(orderId) || orderId === '9223372036854775808') {
      return error(400, 'invalid_order_id', headers);
    }
    if (orderId !== '2') return error(404, 'order_not_found', headers);
    if (this.#isCancelled) return error(409, 'order_already_cancelled', headers);
    this.#isCancelled = true;
    return { status: 204, headers, body: '' };
  }

  #secondsLeft(): number {
    return this.#resetSeconds - this.#nowSeconds;
  }

  #limited(): FakeAnswer {
    const wait = String(this.#secondsLeft());
    const headers = { ...this.#allowance(), 'Retry-After': wait };
    return error(429, 'rate_limit_exceeded', headers, `Wait for ${wait} seconds.`);
  }

  #allowance(): Record<string, string> {
    return {
      'X-RateLimit-Limit': String(perMinute),
      'X-RateLimit-Remaining': String(this.#remaining),
      'X-RateLimit-Reset': String(this.#resetSeconds),
      'RateLimit-Policy': `"minute";q=${perMinute};w=60, "day";q=1000;w=86400`,
      RateLimit: `"minute";r=${this.#remaining};t=${this.#secondsLeft()}, "day";r=900;t=40000`,
    };
  }
}

const operations = new Set(['GET /store/orders', 'DELETE /store/orders/{orderId}', 'GET /pets/7']);
const unknownAllowance = {
  'X-RateLimit-Limit': '0',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '0',
  'RateLimit-Policy': '"minute";q=0;w=60, "day";q=0;w=86400',
  RateLimit: '"minute";r=0;t=0, "day";r=0;t=0',
};
const gone = {
  Deprecation: '@1777593600',
  Sunset: 'Sun, 01 Nov 2026 00:00:00 GMT',
  Link: '<../store/orders>; rel="successor-version"',
};

function error(
  status: number,
  code: string,
  headers: Record<string, string>,
  message = 'A message for people.',
): FakeAnswer {
  return {
    status,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ code, message, status }),
  };
}

// Writing before the end leaves no Content-Length, as a stream would.
function send(response: ServerResponse, { status, headers, body }: FakeAnswer): void {
  response.writeHead(status, headers);
  if (body.length > 0) response.write(body);
  response.end();
}
