import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type LoopbackServer, listen, serve } from '../../../../../test/helpers/loopback-server.ts';
import { type DynamoDBGuard, startDynamoDBGuard } from '../../../aws/dynamodb/guard.ts';
import { createIdentities, type Identities } from '../../../aws/dynamodb/identities.ts';
import { createTemplate, lambda } from '../small-template.ts';

/** A function that may read and delete. */
const template = createTemplate({
  ...lambda('Read', {}, [
    {
      Effect: 'Allow',
      Action: ['dynamodb:GetItem', 'dynamodb:DeleteItem'],
      Resource: 'arn:aws:dynamodb:eu-central-1:123456789012:table/Orders',
    },
  ]),
});
const Key = { id: { S: 'ä' } };
const get = new GetItemCommand({ TableName: 'Orders', Key });
const put = new PutItemCommand({ TableName: 'Orders', Item: Key });

interface Received {
  readonly incoming: IncomingMessage;
  readonly body: string;
  readonly answer: ServerResponse;
}

/** The DynamoDB behind the guard, and what it does with a call. */
let server: LoopbackServer;
let received: Received[];
let onCall: (call: Received) => unknown;
let identities: Identities;
let lines: string[];
let guards: DynamoDBGuard[];
let clients: DynamoDBClient[];

beforeEach(async () => {
  received = [];
  lines = [];
  guards = [];
  clients = [];
  onCall = ({ answer }) => answer.setHeader('access-control-allow-origin', '*').end('{}');
  identities = createIdentities(template);
  server = await serve(async (incoming, answer) => {
    const call = { incoming, answer, body: await text(incoming) };
    received.push(call);
    onCall(call);
  });
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await Promise.all(guards.map((guard) => guard.close()));
  await server[Symbol.asyncDispose]();
});

async function start(endpoint = server.url, isEmbedded = false): Promise<DynamoDBGuard> {
  const log = (line: string) => lines.push(line);
  const now = () => 1_700_000_000_000;
  const guard = await startDynamoDBGuard({ endpoint, identities, isEmbedded, now, log });
  guards.push(guard);
  return guard;
}

function clientOf({ endpoint }: DynamoDBGuard, accessKeyId: string): DynamoDBClient {
  const credentials = { accessKeyId, secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  clients.push(client);
  return client;
}

const operator = () => identities.operator.accessKeyId;
const idOf = (name: string) => identities.functions.get(name)!.accessKeyId;

/** Sends a call as any program or web page could. */
async function send(url: string, headers: Record<string, string>, method = 'POST') {
  const call = request(url, { method, headers });
  call.end(method === 'POST' ? '{"TableName":"Orders"}' : undefined);
  const [response] = await once(call, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the guard before DynamoDB', () => {
  it('forwards an allowed call without its sender, and the response without CORS headers', async () => {
    const guard = await start();
    const authorization = `AWS4-HMAC-SHA256 Credential=${idOf('Read')}/20260101/x/dynamodb/aws4_request, x`;
    const target = 'DynamoDB_20120810.GetItem';

    const answer = await send(guard.endpoint, { authorization, 'x-amz-target': target });

    const [{ incoming, body }] = received as [Received];
    expect([answer.status, answer.body]).toEqual([200, '{}']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers.date).toBe('Tue, 14 Nov 2023 22:13:20 GMT');
    expect([body, incoming.headers['x-amz-target']]).toEqual(['{"TableName":"Orders"}', target]);
    // DynamoDB Local gives each access key id its own tables, but here all callers share them.
    expect(incoming.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=local\//);
    // DynamoDB Local accepts only letters and digits.
    for (const id of [operator(), idOf('Read')]) expect(id).toMatch(/^ASIA[0-9A-F]{32}$/);
    expect(incoming.headers.host).toBe(new URL(server.url).host);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a page, which knows no id', { origin: 'https://evil.example' }, 'POST'],
    ['the preflight request of a page', { origin: 'https://evil.example' }, 'OPTIONS'],
    ['a caller without a signature', { authorization: '' }, 'POST'],
    ['a caller of another run', { authorization: 'ASIA' }, 'POST'],
  ])('refuses %s', async (_, headers, method) => {
    const guard = await start();
    if (headers.authorization)
      headers.authorization = `AWS4-HMAC-SHA256 Credential=${createIdentities(template).operator.accessKeyId}/x`;

    const answer = await send(guard.endpoint, headers, method);

    expect(answer.status).toBe(403);
    expect(answer.body).toContain('The security token included in the request is invalid.');
    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    expect(received).toEqual([]);
  });

  it("forwards a call of the run itself as the operator's, whoever has signed it", async () => {
    const guard = await start();
    onCall = ({ answer }) =>
      answer.writeHead(400, { 'x-amzn-requestid': '1', 'x-own': '1' }).end('!');
    await using front = await listen(
      createServer((incoming, outgoing) => void guard.forwardForOperator(incoming, outgoing)),
    );

    const answer = await send(front.url, { authorization: 'AWS4-HMAC-SHA256 Credential=local/x' });

    expect([answer.status, answer.body]).toEqual([400, '!']);
    expect(answer.headers).toMatchObject({ 'x-amzn-requestid': '1' });
    expect(answer.headers['x-own']).toBeUndefined();
    expect(received.map(({ body }) => body)).toEqual(['{"TableName":"Orders"}']);
  });

  const orders = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Orders';
  const several = new TransactWriteItemsCommand({
    TransactItems: [{ Put: { TableName: 'Orders', Item: Key } }],
  });
  const unknown = 'the local run cannot tell what the call needs';

  it.each<[string, string, string, object]>([
    ['PutItem', orders, 'no identity-based policy allows the dynamodb:PutItem action', put],
    ['TransactWriteItems', '*', unknown, several],
  ])('denies a function %s on %s, as DynamoDB does, and logs it', async (...expected) => {
    const [action, resource, reason, command] = expected;

    const call = clientOf(await start(), idOf('Read')).send(command as PutItemCommand);

    const { userArn } = identities.functions.get('Read')!.function!;
    expect(userArn).toMatch(
      /^arn:aws:sts::123456789012:assumed-role\/Small-ReadRole-\w+\/Small-Read-/,
    );
    await expect(call).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: ${userArn} is not authorized to perform: dynamodb:${action} on resource: ${resource} because ${reason}`,
      $metadata: { httpStatusCode: 400 },
    });
    expect(received).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^iam: User: \S+ is not authorized/)]);
  });

  it.each<[string, boolean, object, object | undefined]>([
    ['limits the pages of a scan on the embedded server', true, {}, { Limit: 2_000 }],
    [
      'makes a scan of the first segment one of the whole table there',
      true,
      { Segment: 0, TotalSegments: 4, Limit: 9_000, ExclusiveStartKey: Key },
      { Limit: 2_000, ExclusiveStartKey: Key },
    ],
    [
      'answers a scan of another segment without items there',
      true,
      { Segment: 3, TotalSegments: 4 },
      undefined,
    ],
    [
      'does not change a scan on any other server',
      false,
      { Segment: 3, TotalSegments: 4 },
      { Segment: 3, TotalSegments: 4 },
    ],
  ])('%s', async (_, isEmbedded, input, expected) => {
    const client = clientOf(await start(server.url, isEmbedded), operator());
    onCall = ({ answer }) => answer.end('{"Count":1}');

    const { Count } = await client.send(new ScanCommand({ TableName: 'Orders', ...input }));

    expect(received.map(({ body }) => JSON.parse(body))).toEqual(
      expected ? [{ TableName: 'Orders', ...expected }] : [],
    );
    expect(Count).toBe(expected ? 1 : 0);
  });

  it('answers 503 if the server does not answer, and does not show its password', async () => {
    const guard = await start('http://user:secret@127.0.0.1:9');

    const call = clientOf(guard, operator()).send(get);

    await expect(call).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      message: 'http://127.0.0.1:9 does not answer (ECONNREFUSED)',
      $metadata: { httpStatusCode: 503 },
    });
  });
});
