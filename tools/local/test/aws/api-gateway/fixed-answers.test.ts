import { describe, expect, it } from '@jest/globals';
import { GatewayFault, type GatewayResponseType } from '../../../aws/api-gateway/gateway-fault.ts';
import {
  readGatewayResponses,
  renderGatewayResponse,
} from '../../../aws/api-gateway/gateway-responses.ts';
import { readMockIntegration } from '../../../aws/api-gateway/mock-integration.ts';
import { createContext, createRequest, createTemplate, method, mock } from '../small-template.ts';

/* The answers that the gateway gives without a function: gateway responses, and MOCK integrations. */

const request = createRequest();
const json = (text: string) => ({ 'application/json': text });

const own = {
  StatusCode: '429',
  ResponseParameters: {
    'gatewayresponse.header.X-Fixed': "'it''s, 1'",
    'gatewayresponse.header.X-Limit': 'context.authorizer.limit',
    'gatewayresponse.header.X-Missing': 'context.authorizer.missing',
  },
  ResponseTemplates: json('$context.authorizer.limit/$context.error.message/$context.a.b.'),
};
const default5xx = { StatusCode: '599', ResponseTemplates: json('5xx') };

function render(type: GatewayResponseType, defined: Record<string, object>) {
  const resources = Object.entries(defined).map(([ResponseType, properties]) => [
    ResponseType,
    { Type: 'AWS::ApiGateway::GatewayResponse', Properties: { ResponseType, ...properties } },
  ]);
  const responses = readGatewayResponses(createTemplate(Object.fromEntries(resources)));
  const context = { ...createContext(request), authorizer: { limit: '60' } };
  const { statusCode, headers, body } = renderGatewayResponse(
    new GatewayFault(type),
    responses,
    context,
  );
  return { statusCode, headers: Object.fromEntries(headers), body: String(body) };
}

describe('a gateway response', () => {
  it('has the status, headers and body that are defined for its type', () => {
    const { statusCode, headers, body } = render('ACCESS_DENIED', { ACCESS_DENIED: own });

    expect(statusCode).toBe(429);
    expect(headers).toEqual({
      'x-amzn-ErrorType': 'AccessDeniedException',
      'Content-Type': 'application/json',
      'X-Fixed': "it''s, 1",
      'X-Limit': '60',
    });
    expect(body).toBe('60/User is not authorized to access this resource/.');
  });

  // Recorded by LocalStack: TestApiGatewayGatewayResponse::test_gateway_response_put.
  it.each<[string, GatewayResponseType, Record<string, object>, number, string]>([
    [
      'uses the default of its class if its type is not defined',
      'AUTHORIZER_FAILURE',
      { DEFAULT_5XX: default5xx },
      599,
      '5xx',
    ],
    [
      'does not use the default of its class if its type is defined',
      'AUTHORIZER_FAILURE',
      { DEFAULT_5XX: default5xx, AUTHORIZER_FAILURE: {} },
      500,
      '{"message":null}',
    ],
    [
      'does not use the default of the other class',
      'UNAUTHORIZED',
      { DEFAULT_5XX: default5xx },
      401,
      '{"message":"Unauthorized"}',
    ],
    ['is built in', 'INVALID_API_KEY', {}, 403, '{"message":"Forbidden"}'],
    ['is built in', 'INTEGRATION_FAILURE', {}, 504, '{"message":"Internal server error"}'],
  ])('%s', (_, type, defined, status, body) => {
    expect(render(type, defined)).toMatchObject({ statusCode: status, body });
  });
});

describe('a MOCK integration', () => {
  const [resource] = createTemplate(
    method('GET /', mock({ statusCode: 410, headers: { Sunset: 'a, b' }, body: '$context.stage' })),
  ).ofType('AWS::ApiGateway::Method');
  const answer = (contentType?: string) => {
    const headers = contentType ? [['content-type', contentType] as const] : [];
    const sent = createRequest({ headers });
    const exchange = { request: sent, context: createContext(sent), pathParameters: {} };
    return readMockIntegration(resource!)(exchange);
  };

  it.each([undefined, 'APPLICATION/JSON ; charset=utf-8'])(
    'answers a request of a content type that it has a template for: %s',
    async (contentType) => {
      expect(await answer(contentType)).toEqual({
        statusCode: 410,
        headers: [
          ['Content-Type', 'application/json'],
          ['Sunset', 'a, b'],
        ],
        body: Buffer.from('test'),
      });
    },
  );

  it('refuses a request of another content type', async () => {
    await expect(answer('text/plain')).rejects.toMatchObject({
      type: 'UNSUPPORTED_MEDIA_TYPE',
      builtIn: { status: 415 },
    });
  });
});
