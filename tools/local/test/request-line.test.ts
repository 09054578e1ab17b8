import { describe, expect, it } from '@jest/globals';
import { exampleToken } from '../../../test/helpers/dynamodb/key-items.ts';
import type { GatewayAnswer } from '../aws/api-gateway/request-context.ts';
import type { AnsweredRequest } from '../aws/http-server.ts';
import { requestLine } from '../request-line.ts';

const key = exampleToken();

type Parts = Partial<AnsweredRequest & Omit<GatewayAnswer, 'body'> & { body: string }>;

function line({ statusCode = 200, headers = [], body = '', authorizer, ...parts }: Parts): string {
  const answered: AnsweredRequest = {
    ...{ method: 'GET', target: '/staging/v1/store/orders', durationMs: 57.4, isComplete: true },
    answer: { statusCode, headers, body: Buffer.from(body), authorizer },
    ...parts,
  };
  return requestLine(answered, '/staging/v1', (format, text) => `<${format} ${text}>`);
}

const left = (count: number): [string, string] => ['X-RateLimit-Remaining', String(count)];

describe('the line of a request', () => {
  it.each<[string, Parts, string]>([
    [
      'a list without its query, with what is left',
      { target: '/staging/v1/store/orders?a=b', authorizer: { plan: 'pro' }, headers: [left(298)] },
      'GET /v1/store/orders 200 57 ms pro 298 left',
    ],
    [
      'an error, by its code',
      { method: 'DELETE', statusCode: 409, body: '{"code":"order_already_shipped"}' },
      'DELETE /v1/store/orders 409 57 ms order_already_shipped',
    ],
    [
      'a limit, with the time to wait',
      { statusCode: 429, authorizer: { plan: 'free' }, headers: [left(0), ['Retry-After', '12']] },
      'GET /v1/store/orders 429 57 ms free 0 left, retry in 12 s',
    ],
    [
      'an error of the service, in red',
      { statusCode: 503, body: '{"code":"service_unavailable"}' },
      'GET /v1/store/orders <red 503> 57 ms service_unavailable',
    ],
    [
      'an answer whose end the client did not get',
      { isComplete: false },
      'GET /v1/store/orders 200 57 ms cut off',
    ],
  ])('shows %s', (_, parts, expected) => {
    expect(line(parts)).toBe(expected);
  });

  it('shows how paths begin if one does not', () => {
    expect(line({ target: '/v1/store/orders', statusCode: 404 })).toBe(
      'GET /v1/store/orders 404 57 ms (paths begin with /staging/v1)',
    );
  });

  it.each([
    ['in a path', `/staging/v1/store/${key}`],
    ['in a path, escaped', `/staging/v1/store/${key.replaceAll('_', '%5F')}`],
    ['in a path without the stage', `/store/${key}`],
    ['in a query', `/staging/v1/store/orders?key=${key}`],
  ])('never shows a key: %s', (_, target) => {
    expect(line({ target })).not.toContain(key.slice(-20));
  });

  it('escapes control characters', () => {
    const target = '/staging/v1/\u001b[2J\u009b/x';

    expect(line({ target })).toMatch(/^GET \/v1\/\\u001b\[2J\\u009b\/x/);
  });
});
