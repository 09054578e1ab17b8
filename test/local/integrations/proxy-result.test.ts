import { describe, expect, it } from '@jest/globals';
import type { GatewayFault } from '../../../local/exchange/gateway-fault.ts';
import { parseProxyResult } from '../../../local/integrations/proxy-result.ts';

const parse = (result: unknown, accept?: string, binaryMediaTypes: string[] = []) => {
  const payload = typeof result === 'string' ? result : JSON.stringify(result);
  const { statusCode, headers, body } = parseProxyResult(payload, accept, binaryMediaTypes);
  return { statusCode, headers, body: body as Buffer };
};

// What AWS was recorded to do with a result is in test/aws-facts/facts/proxy-results.ts.
describe('proxy result', () => {
  it('gives status, headers and body', () => {
    const answer = parse({ statusCode: 201, headers: { 'X-A': 'b' }, body: '{"a":"ä"}' });

    expect(answer).toEqual({
      statusCode: 201,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-A', 'b'],
      ],
      body: Buffer.from('{"a":"ä"}'),
    });
  });

  it('takes null for what is left out', () => {
    const answer = parse({ statusCode: 200, headers: null, multiValueHeaders: null, body: null });
    const binary = parse({ body: null, isBase64Encoded: true }, 'image/png', ['image/png']);

    expect([answer.body, binary.body].map(String)).toEqual(['', '']);
  });

  it('has all values of a header, those of the list first and in its spelling', () => {
    const { statusCode, headers } = parse({
      statusCode: 599,
      headers: { 'X-A': 'c', 'X-B': true },
      multiValueHeaders: { 'x-a': ['a', 'b'], 'X-C': ['d'], 'Content-Type': ['a/b'] },
    });

    expect([statusCode, headers]).toEqual([
      599,
      [
        ['x-a', 'a'],
        ['x-a', 'b'],
        ['x-a', 'c'],
        ['X-B', 'true'],
        ['X-C', 'd'],
        ['Content-Type', 'a/b'],
      ],
    ]);
  });

  it('keeps a content type', () => {
    expect(parse({ headers: { 'content-type': 'text/html' } }).headers).toEqual([
      ['content-type', 'text/html'],
    ]);
  });

  it.each(['WWW-Authenticate', 'Content-Length', 'Date', 'Server', 'Connection'])(
    'renames the header %s',
    (name) => {
      const { headers } = parse({ headers: { 'Content-Type': 'a/b', [name]: 'x' } });

      expect(headers).toContainEqual([`x-amzn-Remapped-${name}`, 'x']);
    },
  );

  it.each<[string, string | undefined, string[], string]>([
    ['what is accepted is binary', 'image/png', ['image/png'], 'a'],
    ['everything is binary', undefined, ['*/*'], 'a'],
    ['the first accepted type is binary', 'image/png, text/html', ['image/*'], 'a'],
    ['the answer is binary and nothing else is asked for', undefined, ['image/png'], 'a'],
    ['what is accepted first is not binary', 'text/html, image/png', ['image/png'], 'YQ=='],
    ['nothing is binary', 'image/png', [], 'YQ=='],
    ['a type like that which is binary is accepted', 'image/pnm', ['image/png'], 'YQ=='],
    ['any type of one subtype is binary', 'image/png', ['*/png'], 'YQ=='],
    ['such a type is accepted by its own name', '*/png', ['*/png'], 'YQ=='],
    ['any subtype is accepted', 'image/*', ['image/png'], 'YQ=='],
    ['any subtype is accepted and binary', 'image/*', ['image/*'], 'a'],
    ['what is accepted is no type', 'image', ['image/*'], 'YQ=='],
  ])('decodes a base64 body where %s', (_, accept, types, expected) => {
    const headers = { 'X-A': 'b', 'Content-Type': 'image/png' };

    const { body } = parse({ headers, body: 'YQ==', isBase64Encoded: true }, accept, types);

    expect(body.toString()).toBe(expected);
  });

  it('whose body is no base64 is answered as a configuration error', () => {
    const parseBody = (isBase64Encoded: boolean) =>
      parse({ body: 'èé+à)(', isBase64Encoded }, 'image/png', ['image/png']);

    expect(() => parseBody(true)).toThrow(
      expect.objectContaining({
        type: 'API_CONFIGURATION_ERROR',
        cause: 'the body is not base64',
      }),
    );
    expect(String(parseBody(false).body)).toBe('èé+à)(');
  });

  it.each<[string, unknown, string]>([
    ['is no JSON', 'not json', 'SyntaxError'],
    ['is null', null, 'not an object'],
    ['is a number', 7, 'not an object'],
    ['is a list', [], 'not an object'],
    [
      'has a body that is an object',
      { statusCode: 200, body: {} },
      'body is not a string but object',
    ],
    ['has a status that is none', { statusCode: 99 }, 'statusCode: 99'],
    ['has an informational status', { statusCode: 101 }, 'statusCode: 101'],
    ['has a status above all others', { statusCode: 600 }, 'statusCode: 600'],
    ['has a header that is a number', { headers: { a: 1 } }, 'header a is not a string but number'],
    ['has a header with a line break', { headers: { a: 'b\r\nc: d' } }, '"a"'],
    ['has a header name that is none', { headers: { 'a b': 'c' } }, '"a b"'],
    ['has headers that are a list', { headers: [] }, 'headers: not an object'],
    ['has headers that are a number', { headers: 7 }, 'headers: not an object'],
    ['has a list of values that is none', { multiValueHeaders: { a: 'b' } }, 'a is not a list'],
    ['is a function error', { errorMessage: 'x', errorType: 'Error' }, 'a field errorMessage'],
  ])('that %s is malformed: 502, with the cause for the log', (_, result, cause) => {
    let fault: Partial<GatewayFault> = {};
    try {
      parse(result);
    } catch (error) {
      fault = error as GatewayFault;
    }

    expect([fault.type, fault.status]).toEqual(['INTEGRATION_FAILURE', 502]);
    expect(String(fault.cause)).toContain(cause);
  });
});
