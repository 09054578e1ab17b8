import { describe, expect, it } from '@jest/globals';
import { createProxyEvent } from '../../../local/integrations/proxy-event.ts';
import { createContext, createRequest, type RequestParts } from '../small-template.ts';

// biome-ignore lint/suspicious/noExplicitAny: an event is JSON
function eventFor(parts: RequestParts, rest: object = {}): any {
  const request = createRequest(parts);
  const context = {
    ...createContext(request),
    resourceId: 'r1',
    resourcePath: '/orders/{id}',
    operationName: 'getOrder',
    authorizer: { principalId: 'user-1', limit: '60' },
  };
  Object.assign(context.identity, { apiKey: 'value-1', apiKeyId: 'k1' });
  const source = {
    context,
    pathParameters: {},
    stageVariables: {},
    binaryMediaTypes: [],
    trace: { forwarded: 'Root=1-a', answered: 'Root=1-a;Sampled=0' },
    ...rest,
  };
  return JSON.parse(JSON.stringify(createProxyEvent(request, source)));
}

// What AWS was recorded to hand on is in test/aws-facts/facts/proxy-events.ts.
describe('proxy event', () => {
  it('has the whole request context', () => {
    const { requestContext } = eventFor({
      target: '/test/orders/7',
      headers: [['User-Agent', 'agent/1.0']],
    });

    expect(requestContext).toEqual({
      accountId: '123456789012',
      apiId: 'a1b2c3d4e5',
      authorizer: { principalId: 'user-1', limit: '60' },
      deploymentId: 'd1',
      domainName: 'a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'a1b2c3d4e5',
      extendedRequestId: expect.any(String),
      httpMethod: 'GET',
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: 'value-1',
        apiKeyId: 'k1',
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: '192.0.2.1',
        user: null,
        userAgent: 'agent/1.0',
        userArn: null,
      },
      operationName: 'getOrder',
      path: '/test/orders/7',
      protocol: 'HTTP/1.1',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      requestTime: '09/Apr/2026:12:34:56 +0000',
      requestTimeEpoch: Date.UTC(2026, 3, 9, 12, 34, 56),
      resourceId: 'r1',
      resourcePath: '/orders/{id}',
      stage: 'test',
    });
  });

  it('has the resource, and the path without the stage', () => {
    const event = eventFor({ target: '/test/orders/7?a=1' }, { pathParameters: { id: '7' } });

    expect(event).toMatchObject({
      resource: '/orders/{id}',
      path: '/orders/7',
      httpMethod: 'GET',
      pathParameters: { id: '7' },
    });
  });

  it('has null for what is not there', () => {
    const event = eventFor({});

    expect(event).toMatchObject({
      body: null,
      isBase64Encoded: false,
      pathParameters: null,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      stageVariables: null,
    });
  });

  it('keeps the letter case of headers; the last of several values is the single one', () => {
    const { headers, multiValueHeaders } = eventFor({
      headers: [
        ['X-One', 'a'],
        ['x-one', 'b'],
      ],
    });

    expect(headers['X-One']).toBe('b');
    expect(multiValueHeaders['X-One']).toEqual(['a', 'b']);
  });

  it('adds what API Gateway adds, and leaves out what belongs to the connection', () => {
    const { headers } = eventFor({
      headers: [
        ['Connection', 'keep-alive'],
        ['Content-Length', '0'],
        ['x-forwarded-for', '198.51.100.7'],
        ['X-Forwarded-Proto', 'http'],
        ['x-amzn-trace-id', 'Root=1-b'],
      ],
    });

    expect(headers).toEqual({
      'X-Forwarded-For': '198.51.100.7, 192.0.2.1',
      'X-Forwarded-Port': '443',
      'X-Forwarded-Proto': 'https',
      'X-Amzn-Trace-Id': 'Root=1-a',
    });
  });

  it('has its own spelling of two headers, and an address where no proxy has been named', () => {
    const { headers } = eventFor({
      headers: [
        ['authorization', 'Bearer x'],
        ['USER-AGENT', 'agent/1.0'],
      ],
    });

    expect(headers).toMatchObject({
      Authorization: 'Bearer x',
      'User-Agent': 'agent/1.0',
      'X-Forwarded-For': '192.0.2.1',
    });
  });

  it.each([
    ...['Content-MD5', 'Max-Forwards', 'Proxy-Authenticate', 'Server', 'TE', 'Trailer', 'Upgrade'],
    ...['WWW-Authenticate', 'Expect', 'Transfer-Encoding'],
  ])('leaves out %s', (name) => {
    const { headers, multiValueHeaders } = eventFor({ headers: [[name, 'x']] });

    expect(headers).not.toHaveProperty(name);
    expect(multiValueHeaders).not.toHaveProperty(name);
  });

  it('has a text body as it is, and a binary one in base64', () => {
    const body = Buffer.from([0xff, 0x00]);
    const headers = [['Content-Type', 'image/png ; q=1']] as const;
    const binaryMediaTypes = ['image/png'];

    expect(eventFor({ body: 'ä' })).toMatchObject({ body: 'ä', isBase64Encoded: false });
    expect(eventFor({ body, headers }, { binaryMediaTypes })).toMatchObject({
      body: '/wA=',
      isBase64Encoded: true,
    });
    expect(eventFor({ body: 'a' }, { binaryMediaTypes: ['*/*'] })).toMatchObject({
      body: 'YQ==',
      isBase64Encoded: true,
    });
    expect(eventFor({}, { binaryMediaTypes: ['*/*'] })).toMatchObject({
      body: null,
      isBase64Encoded: false,
    });
  });

  it('has the stage variables', () => {
    expect(eventFor({}, { stageVariables: { a: 'b' } }).stageVariables).toEqual({ a: 'b' });
  });
});
