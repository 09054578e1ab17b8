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

const responses = (response: object) => ({
  IntegrationResponses: [{ StatusCode: '410', ...response }],
});

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

/** The fault as it is logged. */
const faultOf = (work: () => unknown) => {
  try {
    work();
    return 'none';
  } catch (error) {
    const { type, cause } = error as GatewayFault;
    return cause === undefined ? type : `${type}: ${cause}`;
  }
};
const jsonTemplate = (template: string) => ({ 'application/json': template });
const contentType = (value: string): RequestParts => ({ headers: [['Content-Type', value]] });

describe('MOCK integration', () => {
  it('answers from its templates and mappings', () => {
    expect(read().type).toBe('MOCK');
    expect(answer()).toEqual({
      statusCode: 410,
      headers: { 'Content-Type': 'application/json', 'X-A': 'text', 'X-B': '60' },
      body: '{"id":"60"}',
    });
  });

  it('leaves out a header that has no value, and has an empty body without a template', () => {
    const ResponseParameters = { [header('X-B')]: 'context.authorizer.none' };

    const { headers, body } = answer({
      IntegrationResponses: [{ StatusCode: '410', ResponseParameters }],
    });

    expect(headers).toStrictEqual({ 'Content-Type': 'application/json' });
    expect(body).toBe('');
  });

  it('picks the response whose pattern matches the status, else the one without a pattern', () => {
    const IntegrationResponses = [
      { StatusCode: '200' },
      { StatusCode: '410', SelectionPattern: '4\\d{2}' },
    ];
    const other = jsonTemplate('{"statusCode":500}');

    expect(answer({ IntegrationResponses }).statusCode).toBe(410);
    expect(answer({ IntegrationResponses, RequestTemplates: other }).statusCode).toBe(200);
  });

  it.each<[string, string | undefined, object, string]>([
    ['application/json ; charset=utf-8', 'WHEN_NO_MATCH', {}, 'reads no body'],
    ['APPLICATION/JSON', 'NEVER', {}, 'reads no body'],
    ['text/plain', 'NEVER', {}, 'refuses'],
    ['text/plain', 'NEVER', { RequestTemplates: undefined }, 'refuses'],
    ['text/plain', 'WHEN_NO_TEMPLATES', {}, 'refuses'],
    ['text/plain', 'WHEN_NO_TEMPLATES', { RequestTemplates: undefined }, 'reads the body'],
    ['text/plain', 'WHEN_NO_MATCH', {}, 'reads the body'],
    ['text/plain', undefined, {}, 'reads the body'],
  ])('given %s and pass-through %s, with %j: %s', (type, PassthroughBehavior, rest, expected) => {
    const integration = { PassthroughBehavior, ...rest };
    const request = { ...contentType(type), body: '{"statusCode":410}' };

    const fault = faultOf(() => answer(integration, request));

    const refused = expected === 'refuses' ? 'UNSUPPORTED_MEDIA_TYPE' : 'none';
    expect(fault).toBe(refused);
  });

  it.each(['{statusCode: 410}', '{ statusCode : "410", other: [1] }', '{"a": 1, statusCode: 410}'])(
    'takes a template whose names lack quotes: %s',
    (template) => {
      expect(answer({ RequestTemplates: jsonTemplate(template) }).statusCode).toBe(410);
    },
  );

  it('takes parameter mappings, which have no backend to reach', () => {
    const RequestParameters = { 'integration.request.path.id': 'method.request.path.id' };

    expect(answer({ RequestParameters }).statusCode).toBe(410);
  });

  it.each<[string, object, string]>([
    ['no status', { RequestTemplates: jsonTemplate('{}') }, 'TypeError: statusCode: undefined'],
    [
      'a status without braces',
      { RequestTemplates: jsonTemplate('statusCode: 410') },
      'SyntaxError: ',
    ],
    [
      'a status that is no number',
      { RequestTemplates: jsonTemplate('{"statusCode":"x"}') },
      'TypeError: statusCode: x',
    ],
    ['no response for the status', { IntegrationResponses: [] }, 'status 410'],
    ['no responses', { IntegrationResponses: undefined }, 'status 410'],
  ])('with %s is a configuration error, whose cause is logged', (_, integration, cause) => {
    const fault = faultOf(() => answer(integration));

    expect(fault).toContain(`API_CONFIGURATION_ERROR: ${cause}`);
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
      { RequestTemplates: jsonTemplate('#set($a = 1)') },
      declared,
      'a template with #set',
    ],
    [
      'a response template in Velocity',
      responses({ ResponseTemplates: jsonTemplate('#set($a = 1)') }),
      declared,
      'a template with #set',
    ],
    [
      'a mapping of another kind',
      responses({ ResponseParameters: { [header('X-A')]: 'integration.response.header.A' } }),
      declared,
      'the mapping integration.response.header.A',
    ],
    [
      'content handling of a response',
      responses({ ContentHandling: 'CONVERT_TO_TEXT' }),
      declared,
      'the property Integration.IntegrationResponses.ContentHandling',
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
