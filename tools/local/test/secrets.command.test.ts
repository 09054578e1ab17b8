import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  DynamodbProxy,
  disowned,
  lost,
  throttled,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import {
  type EmbeddedDynamoDb,
  startDynamoDb,
} from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { type RunningService, startService } from './running-service.ts';

/*
 * A valid key is sent to every path and in every header, also to functions that fail, while Node's own debugging
 * output is on. Afterwards, nothing that the run has logged, stored or answered may contain a part of the key.
 */

/** The length of the parts that are searched for. Shorter parts occur by chance. */
const partLength = 8;
let database: EmbeddedDynamoDb;
let proxy: DynamodbProxy;
let run: RunningService;
let canary: string;

beforeAll(async () => {
  database = await startDynamoDb();
  proxy = await DynamodbProxy.before(database.endpoint);
  run = await startService([], {
    DYNAMODB_ENDPOINT: proxy.url,
    NODE_DEBUG: 'http,net,stream,timer',
  });
  canary = run.keys.enterprise;
});

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await database.stop();
});

it('shows no part of a key, wherever it is sent and whatever fails', async () => {
  const answers = await sendAll(rawRequests());
  for (const fault of [lost, throttled, disowned]) {
    proxy.faults.set(run.tables.orders, fault);
    answers.push(...(await sendAll(knownPaths())));
  }
  proxy.faults.set('', lost);
  answers.push(...(await sendAll(knownPaths())));
  proxy.faults.clear();
  const tables = await Promise.all(Object.values(run.tables).map((name) => database.readAll(name)));
  await run[Symbol.asyncDispose]();

  const shown = {
    answers: answers.join('\n'),
    log: await run.stderr,
    tables: JSON.stringify(tables),
    databaseCalls: JSON.stringify(proxy.requests),
  };
  // Admitted, also with the key in other headers; and the debugging output was on.
  expect(shown.answers.match(/HTTP\/1.1 (?:200|204|409)/g)!.length).toBeGreaterThan(25);
  expect(shown.log).toMatch(/^HTTP \d+: /m);
  for (const [place, text] of Object.entries(shown)) {
    expect([place, ...partsIn(text)]).toEqual([place]);
  }
});

function partsIn(text: string): string[] {
  const secret = canary.slice(keyPrefix.length);
  const starts = Array.from({ length: secret.length - partLength + 1 }, (_, index) => index);
  return starts
    .map((start) => secret.slice(start, start + partLength))
    .filter((part) => text.includes(part) || text.includes(Buffer.from(part).toString('base64')));
}

const orders = '/staging/v1/store/orders';

function rawRequest(line: string, ...headers: string[]): string {
  // Without `Host`, Node's server refuses a request of HTTP/1.1 before anybody sees its key.
  const head = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, 'Connection: close'];
  return `${head.join('\r\n')}\r\n\r\n`;
}

function knownPaths(...headers: string[]): string[] {
  const lines = ['GET /store/orders', 'DELETE /store/orders/1001', 'DELETE /store/orders/99'];
  return [...lines, 'GET /pets/1']
    .map((line) => line.replace(' ', ' /staging/v1'))
    .map((line) => rawRequest(line, `Authorization: Bearer ${canary}`, ...headers));
}

/** Requests with the key in every place where a client can put it. */
function rawRequests(): string[] {
  const key = canary;
  const basic = Buffer.from(`${key}:`).toString('base64');
  const refused = [
    ...[`Authorization: ${key}`, `Authorization: Token ${key}`, `Authorization: Basic ${basic}`],
    ...[`Authorization: Bearer ${key}x`, `Authorization: Bearer ${key}, Bearer ${key}`],
  ];
  const beside = [
    ...[
      `X-Api-Key: ${key}`,
      `Cookie: key=${key}`,
      `User-Agent: ${key}`,
      `Referer: http://a/${key}`,
    ],
    ...[`Origin: ${key}`, `Content-Type: ${key}`, `Accept-Encoding: ${key}`, `Expect: ${key}`],
    ...[`Range: ${key}`, `X-Amz-Target: ${key}`, `X-Amzn-RequestId: ${key}`],
    // Not X-Amzn-Trace-Id, which API Gateway returns.
    ...[`X-Forwarded-For: ${key}`, `Accept: ${key}`],
  ];
  const targets = [
    ...[`${orders}/${key}`, `${orders}?key=${key}`, `/${key}`, `/staging/v1/${key}`],
    ...[`http://${key}${orders}`, `/staging/v1/pets/${key}`, `/%${key}`, `/apikeys/${key}`],
  ];
  const valid = `Authorization: Bearer ${key}`;
  const bodies = [key, `{"key":"${key}`, `{"${key}":1}`].map((body) => {
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    return rawRequest(`DELETE ${orders}/1001`, valid, ...headers) + body;
  });
  return [
    ...knownPaths(),
    ...beside.flatMap((header) => knownPaths(header)),
    ...refused.flatMap((header) =>
      [orders, '/staging/v1/nothing'].map((target) => rawRequest(`GET ${target}`, header)),
    ),
    ...targets.flatMap((target) =>
      ['GET', 'DELETE', 'POST'].map((method) => rawRequest(`${method} ${target}`, valid)),
    ),
    ...bodies,
    `${key}\r\n\r\n`,
    `GET / HTTP/1.1\r\n${key}\r\n\r\n`,
    `CONNECT ${key}:443 HTTP/1.1\r\n${valid}\r\n\r\n`,
  ];
}

/** Sends requests one after the other, each on a connection of its own, and returns the answers without their echoes. */
async function sendAll(requests: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const request of requests) {
    const socket = connect(Number(new URL(run.baseUrl).port), '127.0.0.1');
    socket.write(request);
    answers.push(await textOf(socket));
  }
  return answers;
}
