import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parse } from 'yaml';
import { errors } from '../../../lambdas/contract/errors.ts';
import { type ApiResponse, apiHandler } from '../../../lambdas/http/api-handler.ts';
import { everyResponseHeaders, header } from '../../../lambdas/http/headers.ts';
import { expectAgreement } from '../../helpers/agreement.ts';
import { captureLinesOfTests } from '../../helpers/captured-lines.ts';
import {
  lambdaContext,
  noRateLimitHeaders,
  proxyEvent,
  rateLimitHeaders,
  requestContext,
} from '../../helpers/functions/events.ts';

// Captured, because the handler logs the errors that the tests throw.
captureLinesOfTests();

function answer(
  act: (event: APIGatewayProxyEvent) => ApiResponse | Promise<ApiResponse>,
  event = proxyEvent(),
  remainingMs?: number,
): Promise<ApiResponse> {
  const handler = apiHandler(async (given) => act(given));
  return handler(event, lambdaContext(remainingMs)) as Promise<ApiResponse>;
}

const ok = (): ApiResponse => ({ statusCode: 200, headers: {}, body: '[]' });
const throwing = (error: unknown) => () => {
  throw error;
};

describe('R22: the rate-limit headers', () => {
  it.each([
    ['no authorizer', requestContext({ authorizer: undefined })],
    ['an authorizer context of null', requestContext({ authorizer: null })],
  ])('are zero if there is %s', async (_name, context) => {
    const event = proxyEvent({ requestContext: context });

    expect((await answer(ok, event)).headers).toMatchObject(noRateLimitHeaders);
    expect((await answer(throwing(new Error('odd')), event)).headers).toMatchObject(
      noRateLimitHeaders,
    );
  });

  it.each([
    ['an answer', ok, 200],
    ['an error', throwing(new Error('odd')), 500],
  ])('are sent with the CORS headers if the stage allows an origin: %s', async (...given) => {
    const [, act, status] = given;
    process.env.CORS_ORIGIN = 'https://shop.example.com';

    const { statusCode, headers } = await answer(act);

    delete process.env.CORS_ORIGIN;
    expect(statusCode).toBe(status);
    expect(headers).toMatchObject({
      ...rateLimitHeaders,
      'Access-Control-Allow-Origin': 'https://shop.example.com',
      'Access-Control-Expose-Headers': expect.stringContaining('Retry-After'),
    });
  });
});

describe('a request body', () => {
  const sent = (contentType: string, body: string | null, overrides: object = {}) =>
    proxyEvent({ headers: { 'Content-Type': contentType }, body, ...overrides });
  const inBase64 = (contentType: string, text: string) =>
    sent(contentType, Buffer.from(text).toString('base64'), { isBase64Encoded: true });
  const wholeBody = `"${'é'.repeat(8_191)}"`;

  it.each([
    ['16 KB long', sent('application/json', wholeBody)],
    ['16 KB long in base64', inBase64('application/json', wholeBody)],
    ['missing', sent('application/json', null)],
    ['a form', sent('application/x-www-form-urlencoded', 'a=1')],
    ['without any headers', proxyEvent({ body: '{', multiValueHeaders: null })],
  ])('is accepted if it is %s', async (_name, event) => {
    expect((await answer(ok, event)).statusCode).toBe(200);
  });

  const megabytes = `{"a":"${'é'.repeat(3 * 2 ** 20)}`;
  it.each([
    ['incomplete JSON', 'invalid_body', sent('application/json', '{"a":')],
    ['JSON in capitals', 'invalid_body', sent('APPLICATION/JSON', '{')],
    ['JSON with a parameter', 'invalid_body', sent('application/json ; charset=utf-8', '{')],
    ['a change of a prototype', 'invalid_body', sent('application/json', '{"__proto__":1}')],
    ['JSON in base64', 'invalid_body', inBase64('application/json', '{')],
    ['too large in base64', 'request_too_large', inBase64('application/json', megabytes)],
    ['too large by a byte', 'request_too_large', sent('application/json', `${wholeBody} `)],
    ['a large form', 'request_too_large', sent('application/x-www-form-urlencoded', megabytes)],
  ] as const)('I8: is refused if it is %s: %s', async (_name, code, event) => {
    const { statusCode, headers, body } = await answer(ok, event);

    expect(statusCode).toBe(errors[code].status);
    expect(headers).toMatchObject(rateLimitHeaders);
    expect(JSON.parse(body).code).toBe(code);
  });

  it('is parsed before it reaches the handler', async () => {
    const handler = ({ body }: APIGatewayProxyEvent) => ({ ...ok(), body: JSON.stringify(body) });

    expect((await answer(handler, sent('application/json', '{"a":1}'))).body).toBe('{"a":1}');
  });
});

describe('a request header', () => {
  it.each<[string, object | null, string | undefined]>([
    [
      'sent more than once, in different cases',
      { 'Accept-Encoding': ['gzip', 'br'], 'accept-encoding': ['deflate'] },
      'gzip, br, deflate',
    ],
    ['in an event without headers', null, undefined],
  ])('is found, with its values joined: %s', (_name, multiValueHeaders, value) => {
    expect(header(proxyEvent({ multiValueHeaders }), 'accept-encoding')).toBe(value);
  });
});

describe('the headers of every response', () => {
  it('let scripts of the origin read every header of the contract and both request ids', () => {
    /** The headers that only the browser itself reads. */
    const browsersOwn = ['Content-Encoding', 'Vary', 'WWW-Authenticate'];
    const documented = Object.keys(parse(readFileSync('openapi.yaml', 'utf8')).components.headers);
    const useful = documented.filter((name) => !browsersOwn.includes(name));

    const headers = everyResponseHeaders('https://shop.example.com');

    expect(headers['Access-Control-Allow-Origin']).toBe('https://shop.example.com');
    expectAgreement(
      ['openapi.yaml, components.headers', [...useful, 'x-amzn-RequestId']],
      ['lambdas/http/headers.ts', headers['Access-Control-Expose-Headers']!.split(', ')],
    );
  });

  it('let no script read anything if the stage names no origin', () => {
    expect(everyResponseHeaders(undefined)).toEqual({ 'Cache-Control': 'no-store' });
  });
});
