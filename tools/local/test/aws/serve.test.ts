import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { IncomingRequest } from '../../aws/api-gateway/incoming-request.ts';
import type { GatewayAnswer } from '../../aws/api-gateway/request-context.ts';
import type { Account, Deployment } from '../../aws/deployment.ts';
import { type AnsweredRequest, serve } from '../../aws/serve.ts';

const answerOf = (body: string | Readable, statusCode = 200): GatewayAnswer => ({
  statusCode,
  headers: [
    ['X-Own', 'a'],
    ['X-Own', 'b'],
  ],
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

let answer: (request: IncomingRequest) => GatewayAnswer | Promise<GatewayAnswer>;
let answered: PromiseWithResolvers<AnsweredRequest>;
let running: Awaited<ReturnType<typeof serve>>;

beforeEach(async () => {
  answered = Promise.withResolvers();
  const gateway = async (received: IncomingRequest) => answer(received);
  running = await serve({ gateway } as Deployment, {} as Account, {
    onAnswered: answered.resolve,
  });
});

afterEach(() => running.close());

describe('the server of a gateway', () => {
  it('passes a request on, and sends the response with all of its headers', async () => {
    answer = ({ method, path, query, body }) =>
      answerOf(`${method} ${path} ${query.get('b')} ${body}`);

    const response = await fetch(`${running.origin}/a?b=%2f`, { method: 'PUT', body: 'ä' });

    expect([response.status, await response.text()]).toEqual([200, 'PUT /a / ä']);
    expect(response.headers.get('x-own')).toBe('a, b');
  });

  it('reads an error that is streamed, so that the log has its code', async () => {
    answer = () => answerOf(Readable.from(['{"code":', '"x"}']), 503);

    const response = await fetch(running.origin);

    expect([response.status, await response.text()]).toEqual([503, '{"code":"x"}']);
    expect(String((await answered.promise).answer.body)).toBe('{"code":"x"}');
  });

  it('breaks off a response whose body fails', async () => {
    const body = new Readable({ read: () => {} });
    body.push('half');
    answer = () => answerOf(body);
    const response = await fetch(running.origin);

    body.destroy(new Error('oops'));

    await expect(response.text()).rejects.toThrow();
  });

  it('reads a body no faster than its client does, and to its end when its client has left', async () => {
    let chunks = 0;
    const body = new Readable({
      read() {
        this.push(chunks++ < 2_000 ? Buffer.alloc(65_536) : null);
      },
    });
    answer = () => answerOf(body);
    const [response] = await once(request(running.origin).end(), 'response');
    response.on('error', () => {});

    for (let before = -1; before !== chunks; await sleep(20)) before = chunks;
    const chunksBefore = chunks;
    response.destroy();

    // The system's buffers between the server and the client hold up to 36 MB, which are 550 chunks.
    expect(chunksBefore).toBeLessThan(800);
    await answered.promise;
    await once(body, 'end');
  });
});
