import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Gateway } from '../../../aws/api-gateway/gateway.ts';
import type { GatewayFault } from '../../../aws/api-gateway/gateway-responses.ts';
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

const echo = proxy('Echo', { Uri: 'Echo' });
const authorized = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Auth' } };
const resources: Resources = {
  ...api,
  ...method('POST /orders', echo),
  ...method('GET /mock', mock()),
  ...method('GET /secret', { ...echo, ...authorized }),
  ...method('GET /metered', { ...echo, ApiKeyRequired: true }),
  ...method('GET /secret/metered', { ...echo, ...authorized, ApiKeyRequired: true }),
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
  AccessDenied: {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: {
      ResponseType: 'ACCESS_DENIED',
      ResponseTemplates: { 'application/json': '"$context.authorizer.principalId"' },
    },
  },
};

let invoke: jest.Mock<RunFunction>;
let logFault: jest.Mock<(fault: GatewayFault, requestId: string) => void>;
/** What the authorizer's function returns. */
let authorization: InvocationResult;
let gateway: Gateway;

beforeEach(async () => {
  authorization = answering(everything);
  invoke = jest.fn<RunFunction>(async (name) =>
    name === 'Authorize' ? authorization : { payload: '{}' },
  );
  logFault = jest.fn();
  gateway = await createGateway();
});

const everything = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };

/** What an authorizer's function returns. @param rest replaces parts of it */
function answering(statement: object, rest: object = {}): InvocationResult {
  const policyDocument = { Version: '2012-10-17', Statement: [statement] };
  const result = { principalId: 'ann', policyDocument, usageIdentifierKey: 'value-of-ann' };
  return { payload: JSON.stringify({ ...result, ...rest }) };
}

/** @param others resources that are added, or replaced */
function createGateway(others: Resources = {}): Promise<Gateway> {
  const template = createTemplate({ ...resources, ...others });
  return gatewayOf(template, invoke, 'value-of-ann', logFault);
}

async function send(parts: RequestParts) {
  const { headers, body, ...answer } = await gateway.answer(createRequest(parts));
  return { ...answer, headers: Object.fromEntries(headers), body: String(body) };
}

/** The events that a function was invoked with. */
const eventsOf = (name: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: events have many shapes
  invoke.mock.calls.filter(([invoked]) => invoked === name).map(([, event]): any => event);

const bearer = ['Authorization', 'Bearer x'] as const;
const sendWithToken = () => send({ target: '/test/secret', headers: [bearer] });

describe('gateway', () => {
  it('answers 403 to a bearer token for another stage', async () => {
    const { statusCode, headers } = await send({ target: '/other/orders/7', headers: [bearer] });

    const type = 'MissingAuthenticationTokenException';
    expect([statusCode, headers['x-amzn-ErrorType']]).toEqual([403, type]);
  });

  it('uses the default of its class for a gateway response that the template lacks', async () => {
    const properties = {
      ResponseType: 'DEFAULT_4XX',
      StatusCode: '418',
      ResponseParameters: {
        'gatewayresponse.header.X-Stage': 'context.stage',
        'gatewayresponse.header.X-Missing': 'context.authorizer.missing',
      },
    };
    gateway = await createGateway({
      Default: { Type: 'AWS::ApiGateway::GatewayResponse', Properties: properties },
    });

    const { statusCode, headers } = await send({ target: '/test/unknown' });

    expect([statusCode, headers['X-Stage']]).toEqual([418, 'test']);
    expect(headers).not.toHaveProperty('X-Missing');
  });

  it('answers 500 to an unexpected error, and logs it', async () => {
    const cause = new Error('unexpected');
    invoke.mockRejectedValue(cause);

    const { statusCode, headers } = await send({ method: 'POST' });

    expect(statusCode).toBe(500);
    expect(logFault).toHaveBeenCalledWith(
      expect.objectContaining({ type: 'DEFAULT_5XX', cause }),
      headers['x-amzn-RequestId'] ?? '',
    );
  });
});

describe('gateway with an authorizer', () => {
  it("can use the authorizer's context in the response to a denied request", async () => {
    authorization = answering({ ...everything, Effect: 'Deny' });

    const denied = await sendWithToken();

    expect(denied).toMatchObject({
      statusCode: 403,
      body: '"ann"',
      authorizer: { principalId: 'ann' },
    });
    expect(eventsOf('Echo')).toEqual([]);
  });
});

const methodsOf = (part: string) => ({
  ...everything,
  Resource: `arn:aws:execute-api:*:*:*/${part}`,
});

describe("the answer of an authorizer's function", () => {
  it.each<[string, number, InvocationResult]>([
    ['allows all methods of the stage', 200, answering(methodsOf('test/*'))],
    ['allows every action', 200, answering({ ...everything, Action: '*' })],
    ['allows another method', 403, answering(methodsOf('test/POST/secret'))],
    ['allows another action', 403, answering({ ...everything, Action: 'execute-api:Other' })],
    [
      'allows and denies',
      403,
      answering(
        {},
        { policyDocument: { Statement: [everything, { ...everything, Effect: 'Deny' }] } },
      ),
    ],
    ['has no principal', 500, answering(everything, { principalId: undefined })],
    ['has a context with objects', 500, answering(everything, { context: { a: {} } })],
  ])('that %s: %d', async (_, status, result) => {
    authorization = result;

    const { statusCode } = await sendWithToken();

    expect(statusCode).toBe(status);
  });

  it.each<[string, RequestParts['headers'], boolean]>([
    ['an empty token', [['Authorization', '']], false],
    ['a token that matches another part of the pattern', [['Authorization', 'open']], true],
    ['a token with something before what matches', [['Authorization', 'x open']], false],
    ['a token with something after what matches', [['Authorization', 'Bearer x y']], false],
  ])(
    'is requested only if the whole token matches the pattern: %s',
    async (_, headers, isAsked) => {
      const { statusCode } = await send({ target: '/test/secret', headers: headers! });

      expect([statusCode, eventsOf('Authorize').length]).toEqual(isAsked ? [200, 1] : [401, 0]);
    },
  );
});

describe('the API key of a request', () => {
  it.each<[string, string, string, number, string | undefined]>([
    ['comes from the authorizer', '/secret/metered', 'value-of-ann', 200, 'value-of-ann'],
    ['is refused if it is in no plan', '/secret/metered', 'value-of-bob', 403, undefined],
    ['is missing if the method has no authorizer', '/metered', 'value-of-ann', 403, undefined],
    ['is ignored if the method needs none', '/secret', 'value-of-bob', 200, undefined],
  ])('%s', async (_, path, usageIdentifierKey, status, apiKey) => {
    authorization = answering(everything, { usageIdentifierKey });

    const { statusCode } = await send({ target: `/test${path}`, headers: [bearer] });

    const identity = eventsOf('Echo')[0]?.requestContext.identity;
    expect(statusCode).toBe(status);
    expect(identity?.apiKey).toBe(apiKey);
    expect(identity?.apiKeyId).toEqual(apiKey && expect.any(String));
  });
});

describe('a streamed result', () => {
  const nul = '\0'.repeat(8);
  const text = `{"statusCode":201,"headers":{"X":"1"}}${nul}bo${nul}dy`;
  const streamed = proxy('Echo', { Uri: 'Echo', ResponseTransferMode: 'STREAM' });

  async function sendStream(chunks: string[]) {
    const stream = Readable.from(chunks.map((chunk) => Buffer.from(chunk)));
    invoke.mockResolvedValue({ stream });
    gateway = await createGateway(method('POST /orders', streamed));
    return gateway.answer(createRequest({ method: 'POST' }));
  }

  it.each([
    ['in one piece', [text]],
    ['byte by byte', [...text]],
  ])('is read %s', async (_, chunks) => {
    const { statusCode, headers, body } = await sendStream(chunks);

    expect([statusCode, Object.fromEntries(headers).X]).toEqual([201, '1']);
    expect((await buffer(body as Readable)).toString()).toBe(`bo${nul}dy`);
  });

  it.each([
    ['has no delimiter', '{"statusCode":200}', 'ended without a delimiter'],
    ['has a prelude that is no JSON', `oops${nul}`, 'SyntaxError'],
    ['has a line break in a header', `{"headers":{"X":"a\\nb"}}${nul}`, 'Invalid character'],
  ])('that %s is malformed: 502, with the cause for the log', async (_, chunk, cause) => {
    const { statusCode } = await sendStream([chunk]);

    expect(statusCode).toBe(502);
    expect(String(logFault.mock.calls[0]![0].cause)).toContain(cause);
  });
});

/** Properties with a MOCK integration, of which some parts are different. */
const mocked = (parts: object) => ({
  Integration: { ...(mock().Integration as object), ...parts },
});

describe('the template of a gateway', () => {
  it.each<[string, object]>([
    ['Api: ApiKeySourceType other than AUTHORIZER', { ApiKeySourceType: 'HEADER' }],
    ['Auth: a type other than TOKEN', { Type: 'REQUEST' }],
    ['Auth: AuthorizerResultTtlInSeconds other', { AuthorizerResultTtlInSeconds: undefined }],
    ['GET /secret: AuthorizationType AWS_IAM', { AuthorizationType: 'AWS_IAM', AuthorizerId: '' }],
    ['GET /secret: an integration of type HTTP', { Integration: { Type: 'HTTP' } }],
    [
      'GET /mock: a MOCK integration whose status depends on the request',
      mocked({ PassthroughBehavior: 'WHEN_NO_MATCH' }),
    ],
    [
      'GET /mock: a MOCK integration whose status depends on the request',
      mocked({ RequestTemplates: { 'application/json': '{"statusCode":201}' } }),
    ],
    [
      'GET /mock: method.response.header.X, which MethodResponses does not declare,',
      mocked({
        IntegrationResponses: [
          { StatusCode: '200', ResponseParameters: { 'method.response.header.X': "'1'" } },
        ],
      }),
    ],
    [
      'AccessDenied: the mapping of gatewayresponse.path.x',
      { ResponseParameters: { 'gatewayresponse.path.x': "'1'" } },
    ],
    [
      'AccessDenied: the mapping of gatewayresponse.header.x to method.request.path.y',
      { ResponseParameters: { 'gatewayresponse.header.x': 'method.request.path.y' } },
    ],
    [
      'AccessDenied: a template with #set',
      { ResponseTemplates: { 'application/json': '#set($a = 1)' } },
    ],
    [
      'AccessDenied: a template with $stageVariables',
      { ResponseTemplates: { 'application/json': '"$stageVariables.a"' } },
    ],
  ])('stops the run with an error about "%s"', async (message, properties) => {
    const [id] = message.split(':') as [string];
    const { Type, Properties } = resources[id]!;
    const changed = { [id]: { Type, Properties: { ...Properties, ...properties } } };

    await expect(createGateway(changed)).rejects.toThrow(message);
  });
});
