import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { GatewayFault } from '../../../local/exchange/gateway-fault.ts';
import type { RawRequest } from '../../../local/exchange/incoming-request.ts';
import type {
  Invocation,
  InvocationResult,
} from '../../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { Gateway } from '../../../local/gateway/gateway.ts';
import { readUsagePlans, UsageMeter } from '../../../local/gateway/usage-plan.ts';
import {
  api,
  createRawRequest,
  createTemplate,
  method,
  mock,
  proxy,
  type RequestParts,
  type Resources,
} from '../small-template.ts';

const echo = proxy('Echo', { Uri: 'Echo' });
const authorized = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Auth' } };
const oneEach = {
  HttpMethod: '*',
  ResourcePath: '/*',
  ThrottlingRateLimit: 1,
  ThrottlingBurstLimit: 1,
};
const { Properties: stage } = api.Stage!;
const resources: Resources = {
  ...api,
  Stage: {
    ...api.Stage!,
    Properties: { ...stage, Variables: { color: 'blue' }, MethodSettings: [oneEach] },
  },
  ...method('GET /orders/{id}', { ...echo, OperationName: 'GetOrder' }),
  ...method('POST /orders', echo),
  ...method('POST /mock', mock),
  ...method('GET /mock', mock),
  ...method('GET /secret', { ...echo, ...authorized }),
  ...method('GET /metered', { ...echo, ApiKeyRequired: true }),
  ...method('GET /secret/metered', { ...echo, ...authorized, ApiKeyRequired: true }),
  Auth: {
    Type: 'AWS::ApiGateway::Authorizer',
    Properties: {
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerUri: 'Authorize',
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

type Invoke = (lambda: LambdaFunction, invocation: Invocation) => Promise<InvocationResult>;

let invoke: jest.Mock<Invoke>;
let logFault: jest.Mock<(fault: GatewayFault, requestId: string) => void>;
/** What the authorizer's function returns. */
let authorization: InvocationResult;
let gateway: Gateway;

beforeEach(() => {
  authorization = allowing('Allow');
  invoke = jest.fn<Invoke>(async ({ logicalId }) =>
    logicalId === 'Authorize' ? authorization : { payload: '{}' },
  );
  logFault = jest.fn();
  gateway = createGateway();
});

function allowing(Effect: string): InvocationResult {
  const Statement = { Effect, Action: 'execute-api:Invoke', Resource: '*' };
  const policyDocument = { Statement };
  const result = { principalId: 'ann', policyDocument, usageIdentifierKey: 'value-of-ann' };
  return { payload: JSON.stringify(result) };
}

/** @param settings properties of the API */
function createGateway(settings: object = {}): Gateway {
  const Api = { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'small', ...settings } };
  const template = createTemplate({ ...resources, Api });
  const keys = ['value-of-ann', 'value-of-bob'].map((value) => ({
    id: `id-of-${value}`,
    value,
    isEnabled: true,
  }));
  const registry = {
    findKey: (wanted: string) => keys.find(({ value }) => value === wanted),
    isInPlan: () => true,
  };
  const now = () => 1_000_000;
  return new Gateway(template, {
    functions: {
      all: [],
      targetOf: (uri) => ({
        lambda: { logicalId: String(uri) } as LambdaFunction,
        invokedArn: `arn:${uri}`,
        isStreaming: false,
      }),
    },
    usage: new UsageMeter(readUsagePlans(template), registry, now),
    invoke,
    now,
    logFault,
  });
}

async function send(parts: RequestParts, rest: Partial<RawRequest> = {}) {
  const { headers, body, ...answer } = await gateway.answer({
    ...createRawRequest(parts),
    ...rest,
  });
  return { ...answer, headers: Object.fromEntries(headers), body: String(body) };
}

/** The events that a function was invoked with. */
const eventsOf = (name: string) =>
  invoke.mock.calls
    .filter(([{ logicalId }]) => logicalId === name)
    .map(([, invocation]) => JSON.parse(invocation.event));

const bearer = ['Authorization', 'Bearer x'] as const;
const apiKey = (value: string) => ['X-API-Key', value] as const;

describe('gateway', () => {
  it('tells the function all about its request, and the client its ids', async () => {
    const { statusCode, headers } = await send({ target: '/test/orders/7' });

    const [event] = eventsOf('Echo');
    expect(statusCode).toBe(200);
    expect(event).toMatchObject({
      resource: '/orders/{id}',
      pathParameters: { id: '7' },
      stageVariables: { color: 'blue' },
      requestContext: {
        accountId: '123456789012',
        apiId: gateway.apiId,
        domainName: `${gateway.apiId}.execute-api.eu-central-1.amazonaws.com`,
        stage: 'test',
        deploymentId: gateway.stage.deploymentId,
        resourcePath: '/orders/{id}',
        resourceId: expect.stringMatching(/^\w+$/),
        operationName: 'GetOrder',
      },
    });
    expect(headers).toMatchObject({
      'x-amzn-RequestId': event.requestContext.requestId,
      'x-amz-apigw-id': event.requestContext.extendedRequestId,
    });
    expect(logFault).not.toHaveBeenCalled();
  });

  it.each([
    ['text', {}, ['é', false]],
    ['base64 for a binary media type', { BinaryMediaTypes: ['text/plain'] }, ['w6k=', true]],
  ])('hands a body on as %s', async (_, settings, expected) => {
    gateway = createGateway(settings);
    const headers = [['Content-Type', 'text/plain']] as const;

    await send({ method: 'POST', headers, body: 'é' });

    const [{ body, isBase64Encoded }] = eventsOf('Echo');
    expect([body, isBase64Encoded]).toEqual(expected);
  });

  it.each<[string, RequestParts, number, string]>([
    ['with a malformed path', { target: '/test/orders/%zz' }, 400, 'BadRequestException'],
    ['to no stage', { target: '/' }, 403, 'MissingAuthenticationTokenException'],
    [
      'to another stage, although it is not signed',
      { target: '/other/orders/7', headers: [bearer] },
      403,
      'MissingAuthenticationTokenException',
    ],
    [
      'to no resource, as it is not signed',
      { target: '/test/nothing', headers: [bearer] },
      403,
      'IncompleteSignatureException',
    ],
  ])('answers a request %s with a gateway response', async (_, parts, status, type) => {
    const { statusCode, headers } = await send(parts);

    expect([statusCode, headers['x-amzn-ErrorType']]).toEqual([status, type]);
    expect(logFault).toHaveBeenCalledWith(
      expect.any(GatewayFault),
      headers['x-amzn-RequestId'] ?? '',
    );
  });

  it('answers 500 to what fails unexpectedly, and logs why', async () => {
    const cause = new Error('unexpected');
    invoke.mockRejectedValue(cause);

    const { statusCode, headers } = await send({ method: 'POST' });

    expect(statusCode).toBe(500);
    expect(logFault).toHaveBeenCalledWith(
      expect.objectContaining({ type: 'DEFAULT_5XX', cause }),
      headers['x-amzn-RequestId'] ?? '',
    );
  });

  it('answers a request that could not be read, under ids of its own', () => {
    const fault = new GatewayFault('REQUEST_TOO_LARGE');

    const { statusCode, headers } = gateway.answerFault(fault, createRawRequest());

    const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(statusCode).toBe(413);
    expect(headers).toContainEqual(['x-amzn-RequestId', requestId]);
    expect(logFault).toHaveBeenCalledWith(fault, requestId);
  });

  it('throttles each method by itself, where the limits are those of all', async () => {
    const statuses = [];
    for (const httpMethod of ['GET', 'POST', 'GET']) {
      statuses.push((await send({ method: httpMethod, target: '/test/mock' })).statusCode);
    }

    expect(statuses).toEqual([200, 200, 429]);
  });
});

describe('gateway with an authorizer', () => {
  it('asks it about the method, and tells the function its answer', async () => {
    const { statusCode, authorizer } = await send({ target: '/test/secret', headers: [bearer] });

    const methodArn = `arn:aws:execute-api:eu-central-1:123456789012:${gateway.apiId}/test/GET/secret`;
    const [[lambda, invocation]] = invoke.mock.calls as [[LambdaFunction, Invocation]];
    expect([lambda.logicalId, invocation.invokedArn]).toEqual(['Authorize', 'arn:Authorize']);
    expect(JSON.parse(invocation.event)).toEqual({
      type: 'TOKEN',
      methodArn,
      authorizationToken: 'Bearer x',
    });
    expect(eventsOf('Echo')[0].requestContext.authorizer).toEqual({ principalId: 'ann' });
    expect([statusCode, authorizer]).toEqual([200, { principalId: 'ann' }]);
  });

  it('can tell the client what the authorizer says of a denied request', async () => {
    authorization = allowing('Deny');

    const denied = await send({ target: '/test/secret', headers: [bearer] });

    expect(denied).toMatchObject({
      statusCode: 403,
      body: '"ann"',
      authorizer: { principalId: 'ann' },
    });
    expect(eventsOf('Echo')).toEqual([]);
  });

  it.each<[string, number, string | undefined]>([
    ['Unauthorized', 401, undefined],
    ['broken', 500, 'broken'],
  ])('that fails with "%s" answers %i', async (errorMessage, status, cause) => {
    authorization = { error: { errorType: 'Error', errorMessage } };

    const { statusCode } = await send({ target: '/test/secret', headers: [bearer] });

    expect([statusCode, logFault.mock.calls[0]?.[0].cause]).toEqual([status, cause]);
  });

  it('that streams answers 500, says why, and has the stream end', async () => {
    const stream = new PassThrough();
    authorization = { stream };

    const { statusCode } = await send({ target: '/test/secret', headers: [bearer] });

    expect([statusCode, stream.destroyed]).toEqual([500, true]);
    expect(logFault.mock.calls[0]?.[0].cause).toMatch(/authorizer.*stream/);
  });
});

describe('the API key of a request', () => {
  const fromAuthorizer = { ApiKeySourceType: 'AUTHORIZER' };
  const open = '/test/metered';
  const secret = '/test/secret/metered';
  const bob = apiKey('value-of-bob');

  it.each<[string, object, RequestParts, string | undefined]>([
    ['is in its header', {}, { target: open, headers: [bob] }, 'bob'],
    [
      'is the last in its header',
      {},
      { target: open, headers: [apiKey('value-of-ann'), bob] },
      'bob',
    ],
    ['is in its header, authorized or not', {}, { target: secret, headers: [bearer, bob] }, 'bob'],
    ['may be missing', {}, { target: open }, undefined],
    [
      'comes from the authorizer where the API says so',
      fromAuthorizer,
      { target: secret, headers: [bearer, bob] },
      'ann',
    ],
    [
      'comes from nowhere where there is no authorizer to ask',
      fromAuthorizer,
      { target: open, headers: [bob] },
      undefined,
    ],
  ])('%s', async (_, settings, parts, owner) => {
    gateway = createGateway(settings);

    const { statusCode } = await send(parts);

    const [event] = eventsOf('Echo');
    expect(statusCode).toBe(owner ? 200 : 403);
    expect(event?.requestContext.identity.apiKey).toBe(owner && `value-of-${owner}`);
    expect(event?.requestContext.identity.apiKeyId).toBe(owner && `id-of-value-of-${owner}`);
  });

  it('is not looked at where the method needs none', async () => {
    await send({ target: '/test/orders/7', headers: [bob] });

    expect(eventsOf('Echo')[0].requestContext.identity).not.toHaveProperty('apiKey');
  });
});

describe('a template', () => {
  it.each<[string, Resources, string]>([
    ['without a REST API', {}, 'template: there is no AWS::ApiGateway::RestApi'],
    ['with two of them', { Api: api.Api!, Other: api.Api! }, 'Other: a second REST API'],
  ])('is refused %s', (_, parts, message) => {
    const services = {} as ConstructorParameters<typeof Gateway>[1];

    expect(() => new Gateway(createTemplate(parts), services)).toThrow(message);
  });
});
