import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { serviceTitle } from '../../../lambdas/contract/service-name.ts';
import { recordByPlan } from '../../../lib/settings/plans.ts';
import { exampleToken, keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import type { GatewayAnswer } from '../aws/api-gateway/request-context.ts';
import { functionLine, type ReadyService, readyJson, readyText, requestLine } from '../terminal.ts';

const key = exampleToken();

describe.each([
  ['http://127.0.0.1:3000', true],
  ['http://[::1]:3000', true],
  ['http://192.0.2.2:3000', false],
  ['http://127.0.0.1.example.com:3000', false],
])('the report of a run at %s', (origin, isLoopback) => {
  const service = { origin, baseUrl: `${origin}/staging/v1`, outputs: {} } as ReadyService;

  it(`${isLoopback ? 'names' : 'does not name'} the page and the tables`, () => {
    const text = stripVTControlCharacters(readyText(service));

    expect(text.startsWith(`\n${serviceTitle} is ready: ${origin}/\n`)).toBe(isLoopback);
    expect(text.includes('need --host 0.0.0.0')).toBe(!isLoopback);
    expect(JSON.parse(readyJson(service)).dynamodbEndpoint).toBe(isLoopback ? origin : undefined);
  });
});

it('The commands of a report have the key once, and fit a terminal of 80 columns', () => {
  const origin = 'http://127.0.0.1:30000';
  const demoKeys = recordByPlan(() => key);
  const exampleOrderId = '9007199254740993';
  const service = { origin, baseUrl: `${origin}/staging/v1`, demoKeys, exampleOrderId };

  const text = readyText(service as ReadyService);

  const [, commands = ''] = text.split('\nChoose a key:\n');
  expect(commands.split(key)).toHaveLength(2);
  expect(commands).toMatch(/\n {2}echo "Authorization: Bearer \$ORDERS_KEY" \|\n/);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});

describe('the line of a request', () => {
  const line = (target: string, statusCode = 200, body = '') => {
    const answer: GatewayAnswer = { statusCode, headers: [], body: Buffer.from(body) };
    const answered = { method: 'GET', target, answer, durationMs: 57.4 };
    return requestLine(answered, '/staging/v1');
  };

  it.each([
    ['/staging/v1/store/orders?a=b', 200, '', 'GET /v1/store/orders 200 57 ms'],
    ['/staging/v1/x', 409, '{"code":"shipped"}', 'GET /v1/x 409 57 ms shipped'],
    ['/staging/v1/x', 404, '<p>', 'GET /v1/x 404 57 ms'],
    ['/v1/x', 404, '', 'GET /v1/x 404 57 ms (paths begin with /staging/v1)'],
    [`/staging/v1/${key}?key=${key}`, 200, '', `GET /v1/${keyPrefix}… 200 57 ms`],
    ['/staging/v1/\u001b[2J\u009b', 200, '', 'GET /v1/\\u001b[2J\\u009b 200 57 ms'],
  ])('for %j with %d %s', (target, statusCode, body, expected) => {
    expect(line(target, statusCode, body)).toBe(expected);
  });
});

describe("of a function's log, a person", () => {
  it.each([
    ['what it printed itself', '\u001b[2J', 'Cancel: \\u001b[2J'],
    ['what only begins like an entry', '{here', 'Cancel: {here'],
    ['a warning', '{"level":"WARN","message":"slow"}', 'Cancel: slow'],
    [
      'an error, with its stack and its causes',
      '{"level":"ERROR","message":"oops","error":{"stack":"A\\n at a.ts:1","cause":{"stack":"B","cause":"C"}}}',
      'Cancel: oops: A\n at a.ts:1: B: C',
    ],
    ['nothing of its metrics', '{"_aws":{},"level":"INFO","OrdersListed":3}', undefined],
  ])('sees %s', (_, line, shown) => {
    const printed = functionLine('store-CancelFunction45FE0E53', line);

    expect(printed && stripVTControlCharacters(printed)).toBe(shown);
  });
});
