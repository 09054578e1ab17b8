import { describe, expect, it } from '@jest/globals';
import { exampleToken, keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { logLine, requestLine } from '../terminal.ts';

const key = exampleToken();

it.each([
  ['/staging/v1/store/orders?a=b', 200, '', 'GET /staging/v1/store/orders 200 57 ms'],
  ['/x', 409, '{"code":"shipped"}', 'GET /x 409 57 ms shipped'],
  ['/x', 404, '<p>', 'GET /x 404 57 ms'],
  [`/${key}?key=${key}`, 200, '', `GET /${keyPrefix}… 200 57 ms`],
  ['/\u001b[2J\u009b', 200, '', 'GET /\\u001b[2J\\u009b 200 57 ms'],
])('The line of a request for %j with %d %s', (target, statusCode, body, expected) => {
  const answer = { statusCode, headers: [], body: Buffer.from(body) };
  const answered = { method: 'GET', target, answer, durationMs: 57.4 };

  expect(requestLine(answered)).toBe(`${expected}\n`);
});

describe("in a function's log, a person", () => {
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
    expect(logLine('store-CancelFunction45FE0E53', line)).toBe(shown);
  });
});
