import { describe, expect, it } from '@jest/globals';
import {
  checkMapping,
  checkTemplate,
  evaluateMapping,
  type MappingSource,
  substituteVariables,
} from '../../../local/exchange/mapping-expressions.ts';
import { createContext, createRequest } from '../small-template.ts';

const request = createRequest({
  target: '/test/orders/7?page=1&page=2&page=3',
  headers: [
    ['Origin', 'https://one.example'],
    ['Origin', 'https://two.example'],
    ['Origin', 'https://three.example'],
  ],
});
const source: MappingSource = {
  request,
  context: Object.assign(createContext(request), {
    authorizer: { limit: '60', message: 'a "b"' },
    operationName: undefined,
  }),
  pathParameters: { id: '7' },
  stageVariables: { color: 'blue' },
};

describe('mapping expression', () => {
  it.each([
    ["'text'", 'text'],
    ["'it's'", "it's"],
    ["''", ''],
    ['context.authorizer.limit', '60'],
    ['context.httpMethod', 'GET'],
    ['context.identity.sourceIp', '192.0.2.1'],
    ['context.authorizer.unknown', undefined],
    ['context.authorizer.constructor', undefined],
    ['context.httpMethod.length', undefined],
    ['context.identity.userAgent', undefined],
    ['context.identity.userAgent.length', undefined],
    ['context.operationName', undefined],
    ['stageVariables.color', 'blue'],
    ['method.request.header.origin', 'https://three.example'],
    ['method.request.querystring.page', '3'],
    ['method.request.querystring.missing', undefined],
    ['method.request.path.id', '7'],
    ['method.request.header.Missing', undefined],
  ])('%s is %s', (mapping, expected) => {
    expect(() => checkMapping(mapping, 'Response')).not.toThrow();
    expect(evaluateMapping(mapping, source)).toBe(expected);
  });

  it.each([
    'text',
    "'text' and more",
    '$context.httpMethod',
    'integration.response.header.A',
    'method.request.body.a',
  ])('of an unsupported kind is refused: %s', (mapping) => {
    expect(() => checkMapping(mapping, 'Response')).toThrow(`Response: the mapping ${mapping}`);
  });
});

describe('body template', () => {
  it.each([
    ['{"limit":$context.authorizer.limit}', '{"limit":60}'],
    ['"${context.authorizer.limit}s"', '"60s"'],
    ['$context.authorizer.limit.', '60.'],
    ['$context.authorizer.limit seconds', '60 seconds'],
    ['$context.authorizer.message', 'a "b"'],
    ['[$context.authorizer.unknown]', '[]'],
    ['$stageVariables.color', 'blue'],
    ['costs $5', 'costs $5'],
  ])('%s becomes %s, without escaping', (template, expected) => {
    expect(substituteVariables(template, source)).toBe(expected);
  });

  it.each([
    ["$input.json('$')", '$i'],
    ['#set($x = 1)', '#set'],
    ['#if(true)a#end', '#if'],
    ['$util.escapeJavaScript("a")', '$u'],
    ['$!context.a', '$!c'],
  ])('that needs Velocity is refused: %s', (template, found) => {
    expect(() => checkTemplate(template, 'Method')).toThrow(`Method: a template with ${found}`);
  });

  it.each(['{"a":"#1"}', 'costs $5', '$context.requestId', '#${context.requestId}if'])(
    'is taken: %s',
    (template) => {
      expect(() => checkTemplate(template, 'Method')).not.toThrow();
    },
  );
});
