import { once } from 'node:events';
import {
  Agent,
  createServer,
  globalAgent,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import {
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  authorizationOfOperator,
  type DynamoDBGuard,
  startDynamoDBGuard,
} from '../../../local/dynamodb/guard.ts';
import {
  type Credentials,
  createIdentities,
  type Identities,
} from '../../../local/dynamodb/identities.ts';
import { template } from './two-functions.ts';

const Key = { id: { S: 'ä' } };
const get = new GetItemCommand({ TableName: 'Orders', Key });
const put = new PutItemCommand({ TableName: 'Orders', Item: Key });

interface Received {
  readonly incoming: IncomingMessage;
  readonly body: string;
  readonly answer: ServerResponse;
}

let server: Server;
let received: Received[];
/** What the server behind the guard does with a call. */
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
  server = createServer(async (incoming, answer) => {
    const call = { incoming, answer, body: (await buffer(incoming)).toString() };
    received.push(call);
    onCall(call);
  });
  // The server leaves it to the guard to close a connection.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await Promise.all(guards.map((guard) => guard.close()));
  server.close();
  server.closeAllConnections();
});

const serverAddress = () => `127.0.0.1:${(server.address() as AddressInfo).port}`;

async function start({ isSerial = false, endpoint = `http://${serverAddress()}` } = {}) {
  const log = (line: string) => lines.push(line);
  const guard = await startDynamoDBGuard({ endpoint, identities, isSerial, log });
  guards.push(guard);
  return guard;
}

function clientOf({ endpoint }: DynamoDBGuard, credentials: Credentials): DynamoDBClient {
  const client = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  clients.push(client);
  return client;
}

const credentialsOf = (name: string) => identities.functions.get(name)!.credentials;

/** The headers of a call that the operator has signed, as the SDK sends them. */
async function signedHeaders(guard: DynamoDBGuard): Promise<Record<string, string>> {
  let headers: Record<string, string> = {};
  const client = clientOf(guard, identities.operator.credentials);
  client.middlewareStack.add(
    (next) => async (parameters) => {
      headers = { ...(parameters.request as { headers: Record<string, string> }).headers };
      return next(parameters);
    },
    { step: 'finalizeRequest', priority: 'low' },
  );
  await client.send(new ScanCommand({ TableName: 'Orders' }));
  received.length = 0;
  return headers;
}

const operatorHeaders = () => ({
  ...listing,
  authorization: authorizationOfOperator(identities),
});
const signedBody = '{"TableName":"Orders"}';
const listing = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };

interface SendOptions {
  readonly body?: string | Buffer;
  readonly method?: string;
  readonly path?: string;
  readonly agent?: Agent;
}

async function send(
  { endpoint }: DynamoDBGuard,
  headers: Record<string, string>,
  { body = signedBody, method = 'POST', path = '/', agent = globalAgent }: SendOptions = {},
) {
  const call = request(endpoint + path, { method, headers, agent });
  call.end(method === 'POST' ? body : undefined);
  const [response] = await once(call, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the guard before DynamoDB', () => {
  it("hands an allowed call on, and its answer back without what lets other sites' pages read it", async () => {
    const guard = await start();
    const headers = await signedHeaders(guard);

    const answer = await send(guard, headers);

    expect([answer.status, answer.body]).toEqual([200, '{}']);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(received.map(({ body }) => body)).toEqual([signedBody]);
  });

  it('shows the server neither whose call it is nor its own name', async () => {
    const guard = await start();

    await clientOf(guard, credentialsOf('Read')).send(get);

    const { headers } = received[0]!.incoming;
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=local\//);
    expect(headers.host).toBe(serverAddress());
  });

  it.each<[string, Record<string, string>, { body?: string; method?: string; path?: string }]>([
    ['a page of another origin sends', { origin: 'https://evil.example' }, {}],
    ['a page of its own origin sends', { 'sec-fetch-site': 'same-origin' }, {}],
    ['comes under another name', { host: 'evil.example' }, {}],
    ['comes under the name of another port', { host: '127.0.0.1:1' }, {}],
    ['has no signature', { authorization: '' }, {}],
    ['has another body than was signed', {}, { body: '{"TableName":"Others"}' }],
    ['has another target than was signed', { 'x-amz-target': 'DynamoDB_20120810.DeleteTable' }, {}],
    ['is no POST', {}, { method: 'GET' }],
    ['has another path', {}, { path: '/x' }],
    ['asks what a page may send', { origin: 'https://evil.example' }, { method: 'OPTIONS' }],
  ])('refuses what %s', async (_, headers, parts) => {
    const guard = await start();
    const signed = await signedHeaders(guard);

    const answer = await send(guard, { ...signed, ...headers }, parts);

    expect(answer.status).toBe(403);
    expect(answer.body).toContain('The security token included in the request is invalid.');
    expect(answer.headers['content-type']).toBe('application/x-amz-json-1.0');
    expect(Object.keys(answer.headers).join()).not.toContain('access-control');
    expect(received).toEqual([]);
  });

  it.each<[string, (own: Credentials) => Credentials]>([
    ['an identifier of nobody', (own) => ({ ...own, accessKeyId: 'local' })],
    ['another secret', (own) => ({ ...own, secretAccessKey: 'local' })],
    ["another run's credentials", () => createIdentities(template).operator.credentials],
  ])('refuses a client with %s', async (_, change) => {
    const guard = await start();
    const client = clientOf(guard, change(identities.operator.credentials));

    const call = client.send(get);

    await expect(call).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    expect(received).toEqual([]);
  });

  it('refuses a client that reaches it under another name', async () => {
    const { endpoint } = await start();
    const renamed = { endpoint: endpoint.replace('127.0.0.1', 'localhost') } as DynamoDBGuard;

    const call = clientOf(renamed, identities.operator.credentials).send(get);

    await expect(call).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    expect(received).toEqual([]);
  });

  it('accepts only the identities that have replaced the others', async () => {
    const guard = await start();
    const next = createIdentities(template);

    guard.replaceIdentities(next);
    const refused = clientOf(guard, identities.operator.credentials).send(get);

    await expect(refused).rejects.toMatchObject({ name: 'UnrecognizedClientException' });
    await clientOf(guard, next.operator.credentials).send(get);
    await clientOf(guard, next.functions.get('Read')!.credentials).send(get);
    expect(received).toHaveLength(2);
  });

  it.each<[string, number, (headers: Record<string, string>) => object]>([
    ['as it is', 200, () => ({})],
    ['with another secret', 403, ({ authorization }) => ({ authorization: `${authorization}x` })],
    [
      'with another secret of the same length',
      403,
      ({ authorization }) => ({ authorization: `${authorization!.slice(0, -1)}.` }),
    ],
    ['from a page of another origin', 403, () => ({ origin: 'https://evil.example' })],
  ])("takes a call that is marked as the operator's %s: %s", async (_, status, change) => {
    const guard = await start();
    const headers = { ...listing, authorization: authorizationOfOperator(identities) };

    const answer = await send(guard, { ...headers, ...change(headers) });

    expect(answer.status).toBe(status);
    expect(received.map(({ body }) => body)).toEqual(status === 200 ? [signedBody] : []);
  });

  it.each<[string, number, (guard: DynamoDBGuard) => unknown]>([
    ['the operator', 25_000_000, operatorHeaders],
    ['the operator', 25_000_001, operatorHeaders],
    ['the operator', 30_000_000, operatorHeaders],
    ['who has signed it', 30_000_000, signedHeaders],
  ])('refuses a body of more than 25 MB of %s: %s', async (_, bytes, headersOf) => {
    const guard = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const headers = (await headersOf(guard)) as Record<string, string>;

    const large = { ...headers, 'content-length': String(bytes) };
    const answer = await send(guard, large, { body: Buffer.alloc(bytes), agent });
    // The client sends its next call over the same connection.
    const next = await send(guard, headers, { agent });

    agent.destroy();
    expect([answer.status, next.status]).toEqual([bytes > 25_000_000 ? 403 : 200, 200]);
  });

  it('calls off what its client waits for no longer', async () => {
    const guard = await start();
    const leaving = new AbortController();
    const calledOff = Promise.withResolvers<void>();
    onCall = ({ answer }) => {
      answer.once('close', calledOff.resolve);
      leaving.abort();
    };

    const call = clientOf(guard, identities.operator.credentials).send(get, {
      abortSignal: leaving.signal,
    });

    await expect(call).rejects.toThrow();
    await expect(calledOff.promise).resolves.toBeUndefined();
  });

  it('closes its connections to the server with itself', async () => {
    const guard = await start();
    await clientOf(guard, identities.operator.credentials).send(get);
    const closed = once(received[0]!.incoming.socket, 'close');

    await guards.pop()!.close();

    await expect(closed).resolves.toBeDefined();
  });

  it('lets the operator do what no function may', async () => {
    const guard = await start();

    await clientOf(guard, identities.operator.credentials).send(put);

    expect(received.map(({ body }) => JSON.parse(body).TableName)).toEqual(['Orders']);
  });

  it.each([
    [
      'nothing allows',
      'Nothing',
      get,
      'assumed-role/no-role/nothing is not authorized to perform: dynamodb:GetItem on resource: arn:aws:dynamodb:eu-central-1:123456789012:table/Orders because no identity-based policy allows the dynamodb:GetItem action',
    ],
    [
      'a policy denies',
      'Read',
      put,
      'assumed-role/reader/read is not authorized to perform: dynamodb:PutItem on resource: arn:aws:dynamodb:eu-central-1:123456789012:table/Orders with an explicit deny in an identity-based policy',
    ],
    [
      'cannot be evaluated',
      'Read',
      new ExecuteStatementCommand({ Statement: 'SELECT * FROM "Orders"' }),
      'assumed-role/reader/read is not authorized to perform: dynamodb:ExecuteStatement on resource: * because the local run cannot tell what the call needs',
    ],
  ])('denies a function what %s, and logs it', async (_, name, command, message) => {
    const guard = await start();

    const call = clientOf(guard, credentialsOf(name)).send(command as GetItemCommand);

    await expect(call).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: `User: arn:aws:sts::123456789012:${message}`,
      $metadata: { httpStatusCode: 400 },
    });
    expect(received).toEqual([]);
    expect(lines).toEqual([
      `iam: ${message.split('/').slice(2).join('/').replace('perform:', 'perform').replace('resource: ', '')}`,
    ]);
  });

  it('hands a large answer on as it comes', async () => {
    const guard = await start();
    const headers = await signedHeaders(guard);
    onCall = ({ answer }) => answer.write('x'.repeat(100_000));

    const call = request(guard.endpoint, { method: 'POST', headers });
    call.end(signedBody);
    const [response] = await once(call, 'response');
    const [chunk] = await once(response, 'data');

    expect(chunk.length).toBeGreaterThan(0);
    call.destroy();
  });

  it('breaks an answer off that the server breaks off', async () => {
    const guard = await start();
    const headers = await signedHeaders(guard);
    onCall = ({ answer }) => {
      answer.writeHead(200, { 'content-length': 10 });
      answer.write('{', () => answer.destroy());
    };

    await expect(send(guard, headers)).rejects.toThrow('aborted');
  });

  it('answers 503 when the server does not, and says so without its password', async () => {
    const guard = await start({ endpoint: 'http://user:secret@127.0.0.1:9' });

    const call = clientOf(guard, identities.operator.credentials).send(get);

    await expect(call).rejects.toMatchObject({
      name: 'ServiceUnavailable',
      message: 'http://…@127.0.0.1:9 does not answer (ECONNREFUSED)',
      $metadata: { httpStatusCode: 503 },
    });
  });

  it("sends the address's user and password to the server", async () => {
    const guard = await start({ endpoint: `http://user:secret@${serverAddress()}` });

    await clientOf(guard, identities.operator.credentials).send(get);

    expect(received[0]!.incoming.headers.authorization).toBe(`Basic ${btoa('user:secret')}`);
  });
});

describe('the guard before a server that works serially', () => {
  const scan = () => new ScanCommand({ TableName: 'Orders' });
  const operations = () =>
    received.map(({ incoming }) => String(incoming.headers['x-amz-target']).split('.')[1]);

  const scans = () => operations().filter((operation) => operation === 'Scan');

  /** Waits until the server has had so many calls. */
  async function untilReceived(count: number): Promise<void> {
    while (received.length < count) await new Promise((resolve) => setImmediate(resolve));
  }

  it('gives it one scan at a time, and everything else at once', async () => {
    const client = clientOf(await start({ isSerial: true }), identities.operator.credentials);
    onCall = ({ incoming, answer }) => {
      if (!String(incoming.headers['x-amz-target']).endsWith('Scan')) answer.end('{}');
    };

    const sent = [client.send(scan()), client.send(scan()), client.send(scan())];
    await untilReceived(1);
    await client.send(get);
    const meanwhile = operations();
    received[0]!.answer.end('{}');
    await untilReceived(3);

    expect(meanwhile).toEqual(['Scan', 'GetItem']);
    expect(operations()).toEqual(['Scan', 'GetItem', 'Scan']);
    onCall = ({ answer }) => answer.end('{}');
    received[2]!.answer.end('{}');
    await Promise.all(sent);
  });

  it('gives it the next scan when it begins to answer, however slowly its client reads', async () => {
    const client = clientOf(await start({ isSerial: true }), identities.operator.credentials);
    onCall = ({ answer }) => answer.write('{');

    const sent = [client.send(scan()), client.send(scan())];
    await untilReceived(2);

    expect(operations()).toEqual(['Scan', 'Scan']);
    for (const { answer } of received) answer.end('}');
    await Promise.all(sent);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a scan', 'DynamoDB_20120810.Scan', { TableName: 'Orders', Limit: 2_000 }],
    ['what has another version', 'DynamoDB_20110810.Scan', { TableName: 'Orders' }],
    ['what begins otherwise', 'XDynamoDB_20120810.Scan', { TableName: 'Orders' }],
    ['what ends otherwise', 'DynamoDB_20120810.Scan.x', { TableName: 'Orders' }],
  ])('plans nothing but a scan: %s', async (_, operation, expected) => {
    const guard = await start({ isSerial: true });
    const authorization = authorizationOfOperator(identities);

    await send(guard, { authorization, 'x-amz-target': operation });

    expect(received.map(({ body }) => JSON.parse(body))).toEqual([expected]);
  });

  it('answers for it a scan of a segment that is empty', async () => {
    const client = clientOf(await start({ isSerial: true }), identities.operator.credentials);
    const Segment = { TableName: 'Orders', Segment: 1, TotalSegments: 2 };

    const page = await client.send(new ScanCommand(Segment));

    expect(page).toMatchObject({ Count: 0, Items: [] });
    expect(received).toEqual([]);
  });

  it('does not give it a scan whose client has gone away before its turn', async () => {
    const client = clientOf(await start({ isSerial: true }), identities.operator.credentials);
    onCall = ({ incoming, answer }) => {
      if (!String(incoming.headers['x-amz-target']).endsWith('Scan')) answer.end('{}');
    };
    const leaving = new AbortController();
    const first = client.send(scan());
    await untilReceived(1);
    const left = client.send(scan(), { abortSignal: leaving.signal });
    await client.send(get);

    leaving.abort();
    await expect(left).rejects.toThrow();
    for (let call = 0; call < 20; call++) await client.send(get);
    received[0]!.answer.end('{}');
    await first;
    for (let call = 0; call < 20; call++) await client.send(get);

    expect(scans()).toEqual(['Scan']);
  });

  it('lets a scan that has begun end before the next, also when its client has gone away', async () => {
    const client = clientOf(await start({ isSerial: true }), identities.operator.credentials);
    onCall = ({ incoming, answer }) => {
      if (!String(incoming.headers['x-amz-target']).endsWith('Scan')) answer.end('{}');
    };
    const leaving = new AbortController();
    const left = client.send(scan(), { abortSignal: leaving.signal });
    await untilReceived(1);
    const waiting = client.send(scan());

    leaving.abort();
    await expect(left).rejects.toThrow();
    // Long enough for the guard to learn that the client has gone away.
    for (let call = 0; call < 20; call++) await client.send(get);
    const meanwhile = scans();
    onCall = ({ answer }) => answer.end('{}');
    received[0]!.answer.end('{}');
    await waiting;

    expect(meanwhile).toEqual(['Scan']);
    expect(scans()).toEqual(['Scan', 'Scan']);
  });
});
