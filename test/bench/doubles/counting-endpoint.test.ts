import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type CountingEndpoint,
  startCountingEndpoint,
} from '../../../bench/doubles/counting-endpoint.ts';

let target: Server;
let counting: CountingEndpoint;

beforeEach(async () => {
  target = createServer(async (request, response) => {
    response.writeHead(400, { 'x-echo': String(request.headers['x-amz-target']) });
    response.end(await buffer(request));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => target.once('listening', resolve));
  const { port } = target.address() as AddressInfo;
  counting = await startCountingEndpoint(`http://127.0.0.1:${port}`);
});

afterEach(() => {
  counting.close();
  target.close();
  target.closeAllConnections();
});

function send(operation: string, input: object): Promise<Response> {
  const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}` };
  return fetch(counting.endpoint, { method: 'POST', headers, body: JSON.stringify(input) });
}

describe('the counting endpoint', () => {
  it('hands a request and its answer on as they are', async () => {
    const answer = await send('UpdateItem', { Key: 1 });

    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-echo')).toBe('DynamoDB_20120810.UpdateItem');
    expect(await answer.json()).toEqual({ Key: 1 });
  });

  it('counts a write unit for each write, and read units by consistency', async () => {
    for (const [operation, input] of [
      ['UpdateItem', {}],
      ['GetItem', {}],
      ['GetItem', { ConsistentRead: true }],
    ] as const) {
      await (await send(operation, input)).text();
    }

    expect(counting.counts).toEqual({ requests: 3, readUnits: 1.5, writeUnits: 1 });
  });
});
