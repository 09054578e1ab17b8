import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { DynamodbProxy, disowned, lost } from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { startDynamoDb } from '../../../test/helpers/dynamodb/embedded-dynamodb.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { startService } from './running-service.ts';

/*
 * A valid key is sent to every path and in every header, also to functions that fail. Afterwards, nothing that the run
 * has logged, stored or answered may contain a part of the key.
 */

/** The length of the parts of the key for which the test searches. Shorter parts could occur by chance. */
const partLength = 8;

it('shows no part of a key, wherever it is sent and whatever fails', async () => {
  const database = await startDynamoDb();
  await using proxy = await DynamodbProxy.before(database.endpoint);
  await using run = await startService([], { DYNAMODB_ENDPOINT: proxy.url });
  const key = run.keys.enterprise;
  const port = Number(new URL(run.baseUrl).port);
  const answers = await sendAll(port, requestsWith(key));
  for (const [table, fault] of [
    [run.tables.orders, lost],
    [run.tables.orders, disowned],
    ['', lost],
  ] as const) {
    proxy.faults.set(table, fault);
    answers.push(...(await sendAll(port, knownPaths(key))));
  }
  proxy.faults.clear();
  const tables = await Promise.all(Object.values(run.tables).map((name) => database.readAll(name)));
  await run[Symbol.asyncDispose]();
  await database.stop();

  const shown = {
    answers: answers.join('\n'),
    log: await run.stderr,
    tables: JSON.stringify(tables),
    databaseCalls: JSON.stringify(proxy.requests),
  };
  // These requests are admitted, even with the key in other headers, too.
  expect(shown.answers.match(/HTTP\/1.1 (?:200|204|409)/g)!.length).toBeGreaterThan(15);
  for (const [place, text] of Object.entries(shown)) {
    expect([place, ...partsIn(text, key)]).toEqual([place]);
  }
});

function partsIn(text: string, key: string): string[] {
  const secret = key.slice(keyPrefix.length);
  const starts = Array.from({ length: secret.length - partLength + 1 }, (_, index) => index);
  return starts
    .map((start) => secret.slice(start, start + partLength))
    .filter((part) => text.includes(part) || text.includes(Buffer.from(part).toString('base64')));
}

const base = '/staging/v1';
const orders = `${base}/store/orders`;

function rawRequest(line: string, ...headers: string[]): string {
  // Every request has `Host`. Without it, Node's server would refuse the request before the gateway sees the key.
  const head = [`${line} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, 'Connection: close'];
  return `${head.join('\r\n')}\r\n\r\n`;
}

function knownPaths(key: string, ...headers: string[]): string[] {
  return [`GET ${orders}`, `DELETE ${orders}/1001`, `GET ${base}/pets/1`].map((line) =>
    rawRequest(line, `Authorization: Bearer ${key}`, ...headers),
  );
}

/** Requests with the key in every place where a client can put it. */
function requestsWith(key: string): string[] {
  const valid = `Authorization: Bearer ${key}`;
  const basic = Buffer.from(`${key}:`).toString('base64');
  const refused = [key, `Token ${key}`, `Basic ${basic}`, `Bearer ${key}x`];
  // X-Amzn-Trace-Id is left out, because API Gateway returns it.
  const names = [
    ...['X-Api-Key', 'Cookie', 'User-Agent', 'Referer', 'Origin', 'Content-Type'],
    ...['Accept-Encoding', 'X-Amz-Target', 'X-Amzn-RequestId', 'X-Forwarded-For'],
  ];
  const targets = [
    ...[`${orders}/${key}`, `${orders}?key=${key}`, `/${key}`, `${base}/${key}`],
    ...[`http://${key}${orders}`, `/%${key}`, `/apikeys/${key}`],
  ];
  const body = `{"key":"${key}`;
  const typed = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return [
    ...knownPaths(key),
    ...names.flatMap((name) => knownPaths(key, `${name}: ${key}`)),
    ...refused.map((value) => rawRequest(`GET ${orders}`, `Authorization: ${value}`)),
    ...['GET', 'DELETE'].flatMap((method) =>
      targets.map((target) => rawRequest(`${method} ${target}`, valid)),
    ),
    rawRequest(`DELETE ${orders}/1001`, valid, ...typed) + body,
    `${key}\r\n\r\n`,
  ];
}

/** Sends requests one after the other, each on a connection of its own, and returns the answers without their echoes. */
async function sendAll(port: number, requests: readonly string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const request of requests) {
    const socket = connect(port, '127.0.0.1');
    socket.write(request);
    answers.push(await textOf(socket));
  }
  return answers;
}
