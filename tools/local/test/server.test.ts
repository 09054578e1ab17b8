import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../server.ts';
import { closedGate } from './gate.ts';
import {
  type Assembly,
  api,
  lambda,
  method,
  proxy,
  type Resources,
  writeAssembly,
} from './small-template.ts';

const echo = `exports.handler = async (event) => {
  return {
    statusCode: 200,
    headers: { 'Set-Cookie': 'a=1' },
    body: JSON.stringify(event),
  };
};`;

const stream = `exports.handler = awslambda.streamifyResponse(async (event, output) => {
  const query = event.queryStringParameters ?? {};
  if (query.throw === 'early') throw new Error('early');
  const head = { statusCode: 200, headers: { 'Content-Type': 'text/plain' } };
  const body = awslambda.HttpResponseStream.from(output, head);
  let written = 0;
  if (query.report) setInterval(() => console.log(query.report + ' ' + written), 10).unref();
  for (let index = 0; index < Number(query.chunks ?? 3); index++) {
    if (!body.write('x'.repeat(65536))) await new Promise((resolve) => body.once('drain', resolve));
    written = index + 1;
    if (query.throw === 'midway' && index === 1) throw new Error('midway');
    if (query.gate) await fetch(query.gate);
  }
  body.end();
});`;

const streaming = { ResponseTransferMode: 'STREAM' };
const resources: Resources = {
  ...api,
  ...lambda('Echo'),
  ...lambda('Stream', { Timeout: 20 }),
  ...method('GET /echo/{id}', proxy('Echo')),
  ...method('GET /stream', proxy('Stream', streaming)),
};

let assembly: Assembly;
let service: LocalService;
let lines: string[];

beforeAll(async () => {
  assembly = writeAssembly(resources, { Echo: echo, Stream: stream });
  lines = [];
  service = await startLocalService({
    ...assembly,
    stackName: 'Small',
    // There is no table, so nothing is asked of it.
    dynamodbEndpoint: 'http://127.0.0.1:9',
    log: (line) => lines.push(line),
  });
});

afterAll(async () => {
  await service.close();
  assembly.remove();
});

const get = (path: string, init: RequestInit = {}) => fetch(`${service.origin}${path}`, init);
// biome-ignore lint/suspicious/noExplicitAny: an event is JSON
const json = async (response: Response): Promise<any> => response.json();

describe('a request through the gateway', () => {
  it('reaches its function as an event, and the result its client', async () => {
    const response = await get('/test/echo/a%2Fb?x=1&x=2', { headers: { 'X-Own': 'y' } });

    const event = await json(response);
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toEqual(['a=1']);
    expect(response.headers.get('x-amzn-requestid')).toBe(event.requestContext.requestId);
    expect(event).toMatchObject({
      path: '/echo/a%2Fb',
      resource: '/echo/{id}',
      pathParameters: { id: 'a%2Fb' },
      multiValueQueryStringParameters: { x: ['1', '2'] },
      requestContext: {
        path: '/test/echo/a%2Fb',
        stage: 'test',
        identity: { sourceIp: '127.0.0.1' },
      },
    });
    expect(event.headers['X-Own']).toBe('y');
  });
});

describe('a streamed response', () => {
  it('arrives whole', async () => {
    const response = await get('/test/stream?chunks=50');

    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect((await response.text()).length).toBe(50 * 65_536);
  });

  it('is an error when the function fails before it writes', async () => {
    expect((await get('/test/stream?throw=early')).status).toBe(502);
  });

  it('is broken off when the function fails midway', async () => {
    const response = await get('/test/stream?throw=midway');

    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('makes its function wait for a slow client', async () => {
    const { response, call } = await open('/test/stream?chunks=1000&report=slow');
    response.pause();
    const written = await writtenAtRest('slow');

    call.destroy();
    expect(written).toBeGreaterThan(0);
    // The buffers of the system between the two hold up to 36 MB, which are 550 chunks.
    expect(written).toBeLessThan(800);
  });

  it('has its function go on to the end when the client goes away', async () => {
    const { response, call } = await open('/test/stream?chunks=200&report=left');
    await once(response, 'data');

    call.destroy();

    while (!lines.some((line) => line.endsWith(': left 200'))) await sleep(10);
    expect(response.readableEnded).toBe(false);
  });
});

describe('a local service', () => {
  it('ends with streams open, and calls the end of its input', async () => {
    await using gate = await closedGate();
    const ownLines: string[] = [];
    const own = await startLocalService({
      ...assembly,
      stackName: 'Small',
      dynamodbEndpoint: 'http://127.0.0.1:9',
      log: (line) => ownLines.push(line),
    });
    const response = await fetch(`${own.origin}/test/stream?gate=${gate.url}&chunks=2`);

    await own.close();

    // The function, which never ends, was not waited for until its time was over.
    expect(ownLines.join()).not.toContain('timed out');
    await expect(response.text()).rejects.toThrow();
    await expect(fetch(own.origin)).rejects.toThrow();
  });
});

async function open(path: string): Promise<{ call: ClientRequest; response: IncomingMessage }> {
  lines.length = 0;
  const call = openRequest(service.origin + path);
  call.on('error', () => {});
  call.end();
  const [response] = await once(call, 'response');
  response.on('error', () => {});
  return { call, response };
}

/**
 * How many chunks a function had written when it wrote nothing for five of its reports, one every 10 ms.
 *
 * @param name by which it reports, as the request's query says: others may still be writing
 */
async function writtenAtRest(name: string): Promise<number> {
  for (;;) {
    const reports = lines.filter((line) => line.includes(`: ${name} `)).slice(-5);
    if (reports.length === 5 && new Set(reports).size === 1) {
      return Number(reports[0]!.split(' ').at(-1));
    }
    await sleep(10);
  }
}
