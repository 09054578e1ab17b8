import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LoopbackServer, serve } from '../../../../../test/helpers/loopback-server.ts';
import { type DynamoDBGuard, startDynamoDBGuard } from '../../../aws/dynamodb/guard.ts';

/** A function that may not change the table `Orders`. */
const caller = {
  accessKeyId: 'ASIA1',
  denialOf: (operation: string, table?: string) =>
    `${operation} ${table}` === 'UpdateItem Orders' ? 'not authorized: UpdateItem' : undefined,
};
const signed = (id: string) => ({ authorization: `AWS4-HMAC-SHA256 Credential=${id}/20260101/x` });

/** The DynamoDB behind the guard, and the calls that it has received. */
let server: LoopbackServer;
let received: { headers: IncomingMessage['headers']; body: string }[];
let lines: string[];
let guard: DynamoDBGuard | undefined;

beforeEach(async () => {
  received = [];
  lines = [];
  server = await serve(async (incoming, outgoing) => {
    received.push({ headers: incoming.headers, body: await text(incoming) });
    outgoing.setHeader('access-control-allow-origin', '*').end('{"Count":1}');
  });
});

afterEach(async () => {
  await guard?.close();
  await server[Symbol.asyncDispose]();
});

async function start(isEmbedded = false): Promise<DynamoDBGuard> {
  const log = (...words: string[]) => lines.push(words.join(': '));
  guard = await startDynamoDBGuard({ endpoint: server.url, isEmbedded }, log);
  guard.admit([caller]);
  return guard;
}

const call = '{"TableName":"Orders"}';

/** Sends a call as any program or web page could. */
async function send(url: string, headers: object, operation = 'GetItem', body = call) {
  const target = { 'x-amz-target': `DynamoDB_20120810.${operation}` };
  const sent = request(url, { method: 'POST', headers: { ...target, ...headers } }).end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the guard before DynamoDB', () => {
  it('forwards an allowed call without its sender, and the response without CORS headers', async () => {
    const { endpoint } = await start();

    const answer = await send(endpoint, signed(caller.accessKeyId));

    expect([answer.status, answer.body]).toEqual([200, '{"Count":1}']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    const [{ headers, body }] = received as [(typeof received)[0]];
    expect([body, headers['x-amz-target']]).toEqual([call, 'DynamoDB_20120810.GetItem']);
    // DynamoDB Local gives each access key id its own tables, but here all callers share them.
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=local\//);
  });

  it.each<[string, object]>([
    ['a page, which knows no id', { origin: 'https://evil.example' }],
    ['a caller of another run', signed('ASIA2')],
    ['a caller whose id only begins like that of a function', signed('ASIA11')],
  ])('refuses %s', async (_, headers) => {
    const answer = await send((await start()).endpoint, headers);

    expect(answer.status).toBe(403);
    expect(answer.body).toContain('The security token included in the request is invalid.');
    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    expect(received).toEqual([]);
  });

  it("refuses a call that a function's role does not allow, and logs it", async () => {
    const { endpoint } = await start();

    const { status, body } = await send(endpoint, signed('ASIA1'), 'UpdateItem');

    expect([status, received]).toEqual([400, []]);
    expect(body).toContain('#AccessDeniedException","Message":"not authorized: UpdateItem');
    expect(lines).toEqual(['iam: not authorized: UpdateItem']);
  });

  it.each<[string, boolean, object, object | undefined]>([
    ['limits the pages of a scan on the embedded server', true, {}, { Limit: 2_000 }],
    ['makes a first segment the whole table there', true, { Segment: 0 }, { Limit: 2_000 }],
    ['answers a scan of another segment without items there', true, { Segment: 3 }, undefined],
    ['does not change a scan on any other server', false, { Segment: 3 }, { Segment: 3 }],
  ])('%s', async (_, isEmbedded, input, expected) => {
    const { endpoint } = await start(isEmbedded);

    const { body } = await send(endpoint, signed('ASIA1'), 'Scan', JSON.stringify(input));

    expect(received.map((each) => JSON.parse(each.body))).toEqual(expected ? [expected] : []);
    expect(JSON.parse(body).Count).toBe(expected ? 1 : 0);
  });
});
