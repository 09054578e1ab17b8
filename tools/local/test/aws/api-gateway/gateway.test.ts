import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Gateway } from '../../../aws/api-gateway/gateway.ts';
import type { GatewayFault } from '../../../aws/api-gateway/gateway-fault.ts';
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
  ...method('GET /', echo),
  ...method('GET /orders/{id}', { ...echo, OperationName: 'GetOrder' }),
  ...method('GET /orders/{id}/lines', echo),
  ...method('POST /orders', echo),
  ...method('POST /mock', mock()),
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
  Plan: {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: { ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }] },
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

beforeEach(() => {
  authorization = answering(everything);
  invoke = jest.fn<RunFunction>(async (name) =>
    name === 'Authorize' ? authorization : { payload: '{}' },
  );
  logFault = jest.fn();
  gateway = createGateway();
});

const everything = { Effect: 'Allow', Action: 'execute-api:Invoke', Resource: '*' };

/** What an authorizer's function returns. @param rest replaces parts of it */
function answering(statement: object, rest: object = {}): InvocationResult {
  const policyDocument = { Version: '2012-10-17', Statement: [statement] };
  const result = { principalId: 'ann', policyDocument, usageIdentifierKey: 'value-of-ann' };
  return { payload: JSON.stringify({ ...result, ...rest }) };
}

/** @param others resources that are added, or replaced */
function createGateway(others: Resources = {}): Gateway {
  const template = createTemplate({ ...resources, ...others });
  return gatewayOf(template, invoke, ['value-of-ann', 'value-of-bob'], logFault);
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
    gateway = createGateway({
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
  it.each<[string, string, number, string | undefined]>([
    ['comes from the authorizer', '/test/secret/metered', 200, 'ann'],
    ['is missing if the method has no authorizer', '/test/metered', 403, undefined],
    ['is ignored if the method needs none', '/test/secret', 200, undefined],
  ])('%s', async (_, target, status, owner) => {
    const apiKey = ['X-API-Key', 'value-of-bob'] as const;

    const { statusCode } = await send({ target, headers: [bearer, apiKey] });

    const identity = eventsOf('Echo')[0]?.requestContext.identity;
    expect(statusCode).toBe(status);
    expect(identity?.apiKey).toBe(owner && `value-of-${owner}`);
    expect(identity?.apiKeyId).toEqual(owner && expect.any(String));
  });
});

/** Properties with a MOCK integration, of which some parts are different. */
const mocked = (parts: object) => ({
  Integration: { ...(mock().Integration as object), ...parts },
});

describe('the template of a gateway', () => {
  it.each<[string, ...object[]]>([
    ['Api: ApiKeySourceType other than AUTHORIZER', { ApiKeySourceType: 'HEADER' }],
    ['Auth: a REQUEST authorizer', { Type: 'REQUEST' }],
    [
      'Auth: AuthorizerResultTtlInSeconds other than 0',
      { AuthorizerResultTtlInSeconds: undefined },
    ],
    ['Auth: IdentitySource names no header', { IdentitySource: 'method.request.querystring.key' }],
    ['GET /secret: AuthorizationType AWS_IAM', { AuthorizationType: 'AWS_IAM' }],
    ['GET /secret: AuthorizerId is not an authorizer of the template', { AuthorizerId: 'other' }],
    ['GET /secret: an integration of type HTTP', { Integration: { Type: 'HTTP' } }],
    [
      'GET /secret: IntegrationHttpMethod must be POST',
      proxy('Echo', { Uri: 'Echo', IntegrationHttpMethod: 'GET' }),
    ],
    [
      'GET /secret: ResponseTransferMode and Uri disagree about streaming',
      proxy('Echo', { Uri: 'Echo', ResponseTransferMode: 'STREAM' }),
    ],
    [
      'GET /mock: PassthroughBehavior other than NEVER',
      mocked({ PassthroughBehavior: 'WHEN_NO_MATCH' }),
    ],
    [
      'GET /mock: a MOCK integration with several statuses',
      mocked({ RequestTemplates: { 'application/json': '{"statusCode":201}' } }),
      mocked({ IntegrationResponses: [{ StatusCode: '200' }, {}] }),
    ],
    [
      'GET /mock: MethodResponses lacks parts of the response 200',
      { MethodResponses: [] },
      mocked({
        IntegrationResponses: [
          { StatusCode: '200', ResponseParameters: { 'method.response.header.X': "'1'" } },
        ],
      }),
    ],
    [
      'AccessDenied: the parameter gatewayresponse.path.x',
      { ResponseParameters: { 'gatewayresponse.path.x': "'1'" } },
    ],
    [
      'AccessDenied: the mapping method.request.path.y',
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
  ])('stops the run with an error about "%s"', (message, ...variants) => {
    const [id] = message.split(':') as [string];
    const { Type, Properties } = resources[id]!;

    for (const properties of variants) {
      const changed = { [id]: { Type, Properties: { ...Properties, ...properties } } };
      expect(() => createGateway(changed)).toThrow(message);
    }
  });

  it.each(['Api', 'Stage'])('stops the run if its %s is missing or not the only one', (id) => {
    const type = resources[id]!.Type;

    expect(() => createGateway({ [id]: { Type: 'AWS::SNS::Topic' } })).toThrow(
      `template: there is no ${type}`,
    );
    expect(() => createGateway({ Other: resources[id]! })).toThrow(
      `Other: a second ${type} is not supported`,
    );
  });
});
