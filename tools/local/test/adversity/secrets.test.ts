import { execFileSync } from 'node:child_process';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { disowned, lost, throttled } from '../../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { type RunningStore, startStore } from '../e2e/running-store.ts';
import { templateWithFunctions } from '../e2e/template-with-functions.ts';

/*
 * A valid key is sent to every path, also to those that fail, while Node's own debugging output is on.
 * Afterwards, nothing that the service has logged, stored or answered may contain a part of it.
 */

/** The length of the parts that are searched for. Shorter parts occur by chance. */
const partLength = 8;
let store: RunningStore;
let canary: string;

beforeAll(async () => {
  // Node's own debugging output of every function.
  const variables = { NODE_DEBUG: 'http,net,stream,timer,worker' };
  store = await startStore({ templateFile: templateWithFunctions(variables) });
  canary = (await store.issue()).apiKey;
  await store.putOrders([{ id: '1', status: 'pending' }]);
});

afterAll(() => store?.[Symbol.asyncDispose]());

it('shows no part of a key, wherever it is sent and whatever fails', async () => {
  const answers = await Promise.all(rawRequests(canary).map(sendRaw));
  for (const fault of [lost, throttled, disowned]) {
    store.proxy.faults.set(store.ordersTable, fault);
    answers.push(...(await Promise.all(knownPaths(canary).map(sendRaw))));
  }
  store.proxy.faults.set('', lost);
  answers.push(...(await Promise.all(knownPaths(canary).map(sendRaw))));
  store.proxy.faults.clear();
  const { ApiKeysTableName, OwnersTableName, OrdersTableName } = store.service.outputs;
  const tables = [ApiKeysTableName!, OwnersTableName!, OrdersTableName!].map((name) =>
    store.database.readAll(name),
  );

  const shown = {
    answers: answers.join('\n'),
    log: store.lines.join('\n'),
    tables: JSON.stringify(await Promise.all(tables)),
    databaseCalls: JSON.stringify(store.proxy.requests),
    gatewayKeys: JSON.stringify(store.service.controlPlane.getApiKeys()),
    outputs: JSON.stringify(store.service.outputs),
    processes: execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }),
  };

  expect(answers.join('\n')).toContain('204 No Content');
  expect(store.lines.join('\n')).toContain('HTTP');
  for (const [place, text] of Object.entries(shown)) {
    expect([place, ...partsIn(text)]).toEqual([place]);
  }
}, 60_000);

function partsIn(text: string): string[] {
  const secret = canary.slice('so_test_'.length);
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

function knownPaths(key: string): string[] {
  return [
    `GET ${orders}`,
    `DELETE ${orders}/1`,
    'GET /staging/v1/pets/1',
    `DELETE ${orders}/99`,
  ].map((line) => rawRequest(line, `Authorization: Bearer ${key}`));
}

/** Requests with the key in every place where a client can put it. */
function rawRequests(key: string): string[] {
  const basic = Buffer.from(`${key}:`).toString('base64');
  const wrongHeaders = [
    ...[`Authorization: ${key}`, `Authorization: Token ${key}`, `Authorization: Basic ${basic}`],
    ...[`Authorization: Bearer ${key}x`, `Authorization: Bearer ${key}, Bearer ${key}`],
    ...[`Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}`, `X-Api-Key: ${key}`],
    ...[`Cookie: key=${key}`, `User-Agent: ${key}`, `Referer: http://a/${key}`, `Origin: ${key}`],
    ...[`Content-Type: ${key}`, `Accept-Encoding: ${key}`, `Expect: ${key}`, `Host: ${key}`],
    ...[`X-Amz-Target: ${key}`, `X-Amzn-RequestId: ${key}`, `X-Forwarded-For: ${key}`],
  ];
  const targets = [
    ...[`${orders}/${key}`, `${orders}?key=${key}`, `/${key}`, `/staging/v1/${key}`],
    ...[`http://${key}${orders}`, `/staging/v1/pets/${key}`, `/%${key}`, `/apikeys/${key}`],
  ];
  const valid = `Authorization: Bearer ${key}`;
  const bodies = [key, `{"key":"${key}`, `{"${key}":1}`].map((body) => {
    const headers = ['Content-Type: application/json', `Content-Length: ${body.length}`];
    return rawRequest(`DELETE ${orders}/1`, valid, ...headers) + body;
  });
  return [
    ...knownPaths(key),
    ...wrongHeaders.flatMap((header) =>
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

function sendRaw(request: string): Promise<string> {
  const socket = connect(Number(new URL(store.service.origin).port), '127.0.0.1');
  socket.write(request);
  return textOf(socket);
}
