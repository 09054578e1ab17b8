import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { InvocationResult } from '../../../aws/lambda/function-code.ts';
import {
  api,
  createRequest,
  createTemplate,
  gatewayOf,
  method,
  mock,
  proxy,
  type RequestParts,
  type Resources,
  type RunFunction,
} from '../small-template.ts';

/* aws-facts.test.ts tests what AWS was seen to do, and the tests in e2e/ the gateway with its service. */

const authorized = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Auth' } };
const resources: Resources = {
  ...api,
  ...method('GET /mock', mock()),
  ...method('GET /secret', { ...proxy('Echo'), ...authorized }),
  ...method('GET /metered', { ...proxy('Echo'), ...authorized, ApiKeyRequired: true }),
  ...method('GET /streamed', proxy('Echo', { ResponseTransferMode: 'STREAM' })),
  Auth: {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: {
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerUri: 'Authorize',
      AuthorizerResultTtlInSeconds: 0,
      IdentityValidationExpression: 'Bearer [a-z]+|open',
    },
  },
  Default: {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: {
      ResponseType: 'DEFAULT_4XX',
      StatusCode: '418',
      ResponseParameters: {
        'gatewayresponse.header.X-Stage': 'context.stage',
        'gatewayresponse.header.X-Missing': 'context.authorizer.missing',
      },
    },
  },
};

let invoke: jest.Mock<RunFunction>;
let lines: string[];
/** What the function returns that is not the authorizer. */
let result: InvocationResult;
/** What the authorizer's function returns. */
let authorization: InvocationResult;

beforeEach(() => {
  result = { payload: '{}' };
  authorization = answering();
  invoke = jest.fn<RunFunction>(async (name) => (name === 'Authorize' ? authorization : result));
  lines = [];
});

/** What an authorizer's function returns. @param rest replaces parts of it */
function answering(rest: object = {}, Resource = '*'): InvocationResult {
  const Statement = [{ Effect: 'Allow', Action: 'execute-api:Invoke', Resource }];
  const returned = { principalId: 'ann', policyDocument: { Statement }, ...rest };
  return { payload: JSON.stringify(returned) };
}

/** @param others resources that are added, or replaced */
const createGateway = (others: Resources = {}) =>
  gatewayOf(createTemplate({ ...resources, ...others }), invoke, 'value-of-ann', (...words) =>
    lines.push(words.join(': ')),
  );

async function send(target: string, ...headers: NonNullable<RequestParts['headers']>) {
  const gateway = await createGateway();
  const answer = await gateway(createRequest({ target: `/test${target}`, headers }));
  return { ...answer, headers: Object.fromEntries(answer.headers) };
}

/** The events that a function was invoked with. */
const eventsOf = (name: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: events have many shapes
  invoke.mock.calls.filter(([invoked]) => invoked === name).map(([, event]): any => event);

const bearer = ['Authorization', 'Bearer x'] as const;

describe('gateway', () => {
  it('uses the default of its class for a gateway response that the template lacks', async () => {
    const { statusCode, headers } = await send('/unknown');

    expect([statusCode, headers['X-Stage']]).toEqual([418, 'test']);
    expect(headers).not.toHaveProperty('X-Missing');
  });

  it('answers 500 to an unexpected error, and logs it', async () => {
    invoke.mockRejectedValue(new Error('unexpected'));

    const { statusCode, headers } = await send('/streamed');

    expect(statusCode).toBe(500);
    const start = `gateway: ${headers['x-amzn-RequestId']} DEFAULT_5XX: Error: unexpected`;
    expect(lines).toEqual([expect.stringContaining(start)]);
  });
});

describe("the answer of an authorizer's function", () => {
  const arn = 'arn:aws:execute-api:us-east-1:000000000000:Small-Api/test';

  it.each<[string, number, InvocationResult]>([
    ['allows the method', 200, answering({}, `${arn}/GET/secret`)],
    ['allows another method', 418, answering({}, `${arn}/POST/secret`)],
    ['has no principal', 500, answering({ principalId: undefined })],
    ['has a context with objects', 500, answering({ context: { a: {} } })],
  ])('that %s: %d', async (_, status, returned) => {
    authorization = returned;

    const { statusCode } = await send('/secret', bearer);

    expect([statusCode, eventsOf('Echo').length]).toEqual([status, status === 200 ? 1 : 0]);
  });

  it.each([
    ['', 0],
    ['open', 1],
    ['x open', 0],
    ['Bearer x y', 0],
  ])('is requested only if the whole token matches the pattern: %j', async (token, times) => {
    await send('/secret', ['Authorization', token]);

    expect(eventsOf('Authorize')).toHaveLength(times);
  });

  it.each<[string, string, number, string | undefined]>([
    ['names the API key', 'value-of-ann', 200, 'value-of-ann'],
    ['names a key that is in no plan', 'in no plan', 418, undefined],
    ['names an unknown key', 'value-of-bob', 418, undefined],
  ])('%s: %s', async (_, usageIdentifierKey, status, apiKey) => {
    authorization = answering({ usageIdentifierKey });

    const { statusCode } = await send('/metered', bearer);

    expect(statusCode).toBe(status);
    expect(eventsOf('Echo')[0]?.requestContext.identity.apiKey).toBe(apiKey);
  });
});

describe('a streamed result', () => {
  const nul = '\0'.repeat(8);
  const streamOf = (text: string) => ({
    stream: Readable.from([...text].map((character) => Buffer.from(character))),
  });

  it('is read up to the delimiter, wherever its chunks end', async () => {
    result = streamOf(`{"statusCode":201,"headers":{"X":"1"}}${nul}bo${nul}dy`);

    const { statusCode, headers, body } = await send('/streamed');

    expect([statusCode, headers.X]).toEqual([201, '1']);
    expect((await buffer(body as Readable)).toString()).toBe(`bo${nul}dy`);
  });

  it.each([
    ['has no delimiter', '{"statusCode":200}', 'ended without a delimiter'],
    ['has a prelude that is no JSON', `oops${nul}`, 'SyntaxError'],
    ['has a line break in a header', `{"headers":{"X":"a\\nb"}}${nul}`, 'Invalid character'],
  ])('that %s is malformed: 502, with the cause for the log', async (_, text, cause) => {
    result = streamOf(text);

    expect((await send('/streamed')).statusCode).toBe(502);
    expect(lines.join()).toContain(cause);
  });

  it('is malformed if its integration does not stream', async () => {
    result = streamOf(`{}${nul}`);

    expect((await send('/secret', bearer)).statusCode).toBe(502);
    expect(lines.join()).toContain('the function streams and its integration does not');
  });
});

describe('the template of a gateway', () => {
  const { Integration } = mock();
  const mockWith = (parts: object) => ({ Integration: { ...Integration, ...parts } });
  const variable = 'a MOCK integration whose status depends on the request';

  it.each<[string, object]>([
    ['Auth: an authorizer with another type', { Type: 'REQUEST' }],
    ['Auth: an authorizer with', { AuthorizerResultTtlInSeconds: undefined }],
    ['GET /secret: AuthorizationType AWS_IAM', { AuthorizationType: 'AWS_IAM', AuthorizerId: '' }],
    ['GET /secret: an integration of type HTTP', { Integration: { Type: 'HTTP' } }],
    [`GET /mock: ${variable}`, mockWith({ PassthroughBehavior: 'WHEN_NO_MATCH' })],
    [`GET /mock: ${variable}`, mockWith({ RequestTemplates: { 'text/plain': '{}' } })],
    ['Default: the mapping of path.x', { ResponseParameters: { 'path.x': "'1'" } }],
    [
      'Default: the mapping of gatewayresponse.header.x to method.request.path.y',
      { ResponseParameters: { 'gatewayresponse.header.x': 'method.request.path.y' } },
    ],
    ['Default: a template with #set', { ResponseTemplates: { json: '#set($a = 1)' } }],
    ['Default: a template with $stageV', { ResponseTemplates: { json: '"$stageVariables.a"' } }],
  ])('stops the run with an error about "%s"', async (message, properties) => {
    const [id] = message.split(':') as [string];
    const { Type, Properties } = resources[id]!;
    const changed = { [id]: { Type, Properties: { ...Properties, ...properties } } };

    await expect(createGateway(changed)).rejects.toThrow(message);
  });
});
