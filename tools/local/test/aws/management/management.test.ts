import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { temporaryDirectoryOfFile } from '../../../../../test/helpers/temporary-directory.ts';
import { isFromThisMachine } from '../../../aws/management/loopback.ts';
import { type LocalService, startLocalService } from '../local-service.ts';
import { api, method, mock } from '../small-template.ts';

/* tools/admin/test/admin.test.ts tests the calls that an operator's commands make, which are answered. */

const directory = temporaryDirectoryOfFile();
let service: LocalService;

beforeAll(async () => {
  const template = JSON.stringify({ Resources: { ...api, ...method('GET /', mock()) } });
  const templateFile = directory.write('template.json', template);
  service = await startLocalService({ templateFile, stackName: 'Small', log: () => {} });
});

afterAll(() => service.close());

/** `fetch` does not let a test set the `Host` header. */
async function send(path: string, method: string, headers: object, body?: string) {
  const call = request(service.origin, { path, method, headers: { ...headers } }).end(body);
  const [response] = await once(call, 'response');
  response.resume();
  return response.statusCode;
}

const signed = { authorization: 'AWS4-HMAC-SHA256 x' };

it.each<[string, string, object]>([
  ['a call under the host name of a web site', 'GET', { ...signed, host: 'evil.example' }],
  ["a call of a page's script", 'GET', { ...signed, origin: 'http://localhost:3000' }],
  ['a call of a page', 'GET', { ...signed, 'sec-fetch-site': 'same-origin' }],
  ['a call without a signature', 'GET', {}],
  ['a call with the key of a client', 'GET', { authorization: 'Bearer x' }],
  ['an unknown operation', 'PUT', signed],
])('%s gets the response of an unknown path', async (_, method, headers) => {
  const target = { 'x-amz-target': method === 'PUT' ? 'none' : 'DynamoDB_20120810.ListTables' };

  const answers = [
    await send('/apikeys', method, headers),
    await send('/', 'POST', { ...headers, ...target }, 'Action=DeleteStack'),
  ];

  expect(answers).toEqual([403, 403]);
});

it.each<[string | undefined, string | undefined, boolean]>([
  ['127.0.0.1', 'localhost', true],
  ['::1', '[::1]:3000', true],
  ['::ffff:127.100.200.255', '127.100.200.255:3000', true],
  ['192.0.2.1', 'localhost', false],
  ['1127.0.0.1', 'localhost', false],
  ['127.0.0.1', undefined, false],
  ['127.0.0.1', 'evil.example', false],
  ['127.0.0.1', 'evil.localhost', false],
  ['127.0.0.1', '127.0.0.1.evil.example', false],
])('a request from %s to %s is from this machine: %s', (remoteAddress, host, expected) => {
  const headers = host === undefined ? {} : { host };

  const incoming = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;

  expect(isFromThisMachine(incoming)).toBe(expected);
});
