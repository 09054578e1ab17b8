import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../../aws/local-service.ts';
import { type Assembly, api, method, mock, writeAssembly } from '../small-template.ts';

/* tools/admin/test/admin.test.ts tests the calls that an operator's commands make. */

let assembly: Assembly;
let service: LocalService;

beforeAll(async () => {
  assembly = writeAssembly({ ...api, ...method('GET /', mock()) }, {});
  service = await startLocalService({ ...assembly, stackName: 'Small', log: () => {} });
});

afterAll(async () => {
  await service.close();
  assembly.remove();
});

/** `fetch` does not let a test set the `Host` header. */
async function send(path: string, method: string, headers: object, body?: string) {
  const call = request(service.origin, { path, method, headers: { ...headers } });
  call.end(body);
  const [response] = await once(call, 'response');
  return { status: response.statusCode, body: await text(response) };
}

const signed = { authorization: 'AWS4-HMAC-SHA256 x' };

it('a call that an AWS client on this machine has signed is answered', async () => {
  const answer = await send('/apikeys', 'GET', signed);

  expect(answer).toEqual({ status: 200, body: '{"item":[]}' });
});

it.each<[string, string, object]>([
  ['a call under the host name of a web site', 'GET', { ...signed, host: 'evil.example' }],
  ['a call of a web page', 'GET', { ...signed, origin: 'https://evil.example' }],
  ['a call without a signature', 'GET', {}],
  ['an unknown operation', 'PUT', signed],
])('%s gets the response of an unknown path', async (_, method, headers) => {
  const answers = [
    await send('/apikeys', method, headers),
    await send('/', 'POST', { ...headers, 'x-amz-target': 'none' }, 'Action=DeleteStack'),
  ];

  const unknown = { status: 403, body: '{"message":"Missing Authentication Token"}' };
  expect(answers).toEqual([unknown, unknown]);
});

it.each([
  ['under the host name of a web site', { host: 'evil.example' }],
  ['of a web page', { origin: 'http://localhost:3000' }],
])('DynamoDB does not get a call %s', async (_, headers) => {
  const target = { 'x-amz-target': 'DynamoDB_20120810.ListTables' };

  const { status } = await send('/', 'POST', { ...signed, ...target, ...headers }, '{}');

  expect(status).toBe(403);
});
