import { describe, expect, it } from '@jest/globals';
import type { GatewayFault } from '../../../local/exchange/gateway-fault.ts';
import { answerMock, readMockIntegration } from '../../../local/integrations/mock-integration.ts';
import {
  api,
  createContext,
  createRequest,
  createTemplate,
  method,
  type RequestParts,
} from '../small-template.ts';

const header = (name: string) => `method.response.header.${name}`;
const gone = {
  Type: 'MOCK',
  RequestTemplates: { 'application/json': '{"statusCode":410}' },
  IntegrationResponses: [
    {
      StatusCode: '410',
      ResponseParameters: {
        [header('X-A')]: "'text'",
        [header('X-B')]: 'context.authorizer.limit',
      },
      ResponseTemplates: { 'application/json': '{"id":"$context.authorizer.limit"}' },
    },
  ],
};
const declared = [
  { StatusCode: '410', ResponseParameters: { [header('X-A')]: true, [header('X-B')]: true } },
  { StatusCode: '200' },
];

function read(integration: object = {}, MethodResponses: unknown = declared) {
  const properties = { Integration: { ...gone, ...integration }, MethodResponses };
  const template = createTemplate({ ...api, ...method('GET /pets', properties) });
  return readMockIntegration(template.ofType('AWS::ApiGateway::Method')[0]!);
}

function answer(integration: object = {}, parts: RequestParts = {}) {
  const request = createRequest(parts);
  const context = { ...createContext(request), authorizer: { limit: '60' } };
  const source = { request, context, pathParameters: {}, stageVariables: {} };
  const { statusCode, headers, body } = answerMock(read(integration), source);
  return { statusCode, headers: Object.fromEntries(headers), body: String(body) };
}

const faultOf = (work: () => unknown) => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as GatewayFault).type;
  }
};
const contentType = (value: string): RequestParts => ({ headers: [['Content-Type', value]] });

describe('MOCK integration', () => {
  it('answers from its templates and mappings', () => {
    expect(answer()).toEqual({
      statusCode: 410,
      headers: { 'Content-Type': 'application/json', 'X-A': 'text', 'X-B': '60' },
      body: '{"id":"60"}',
    });
  });

  it('picks the response whose pattern matches the status, else the one without a pattern', () => {
    const IntegrationResponses = [
      { StatusCode: '200' },
      { StatusCode: '410', SelectionPattern: '4\\d{2}' },
    ];
    const other = { 'application/json': '{"statusCode":500}' };

    expect(answer({ IntegrationResponses }).statusCode).toBe(410);
    expect(answer({ IntegrationResponses, RequestTemplates: other }).statusCode).toBe(200);
  });

  it.each([
    ['application/json; charset=utf-8', 'NEVER', 'none'],
    ['APPLICATION/JSON', 'NEVER', 'none'],
    ['text/plain', 'NEVER', 'UNSUPPORTED_MEDIA_TYPE'],
    ['text/plain', 'WHEN_NO_TEMPLATES', 'UNSUPPORTED_MEDIA_TYPE'],
    ['text/plain', 'WHEN_NO_MATCH', 'API_CONFIGURATION_ERROR'],
    ['text/plain', undefined, 'API_CONFIGURATION_ERROR'],
  ])('given %s and pass-through %s, ends with: %s', (type, PassthroughBehavior, expected) => {
    expect(faultOf(() => answer({ PassthroughBehavior }, contentType(type)))).toBe(expected);
  });

  it.each(['{statusCode: 410}', '{ statusCode : "410", other: [1] }', '{"a": 1, statusCode: 410}'])(
    'takes a template whose names lack quotes: %s',
    (template) => {
      expect(answer({ RequestTemplates: { 'application/json': template } }).statusCode).toBe(410);
    },
  );

  it('takes parameter mappings, which have no backend to reach', () => {
    const RequestParameters = { 'integration.request.path.id': 'method.request.path.id' };

    expect(answer({ RequestParameters }).statusCode).toBe(410);
  });

  it('reads the status from a body that is passed through', () => {
    const request = { ...contentType('text/plain'), body: '{"statusCode":410}' };

    expect(answer({}, request).statusCode).toBe(410);
  });

  it.each([
    ['no status', { RequestTemplates: { 'application/json': '{}' } }],
    ['a status without braces', { RequestTemplates: { 'application/json': 'statusCode: 410' } }],
    [
      'a status that is no number',
      { RequestTemplates: { 'application/json': '{"statusCode":"x"}' } },
    ],
    ['no response for the status', { IntegrationResponses: [] }],
  ])('with %s is a configuration error', (_, integration) => {
    expect(faultOf(() => answer(integration))).toBe('API_CONFIGURATION_ERROR');
  });

  it.each<[string, object, unknown, string]>([
    ['a response that the method does not declare', {}, [], 'declares no response 410'],
    [
      'a header that the method does not declare',
      {},
      [{ StatusCode: '410' }],
      'declares no response parameter method.response.header.X-A',
    ],
    [
      'a template in Velocity',
      { RequestTemplates: { 'application/json': '#set($a = 1)' } },
      declared,
      'a template with #set',
    ],
    [
      'content handling',
      { ContentHandling: 'CONVERT_TO_TEXT' },
      declared,
      'the property Integration.C',
    ],
  ])('is refused with %s, naming the method', (_, integration, responses, message) => {
    expect(() => read(integration, responses)).toThrow(`GET /pets: ${message}`);
  });
});
