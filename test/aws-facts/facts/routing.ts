import type { Fact, FactMethod, Recording } from '../fact.ts';
import { localstack } from '../sources.ts';

/** A MOCK method that says its name. */
function named(message: string): FactMethod {
  const template = JSON.stringify({ statusCode: 200, message });
  return { mock: { requestTemplate: template, responseTemplate: template } };
}

function reaches(name: string, title: string, method: string, path: string, message: string): Fact {
  return {
    id: `routing/${name}`,
    title,
    request: { method, path },
    answer: { status: 200, json: { statusCode: 200, message } },
  };
}

function isUnknown(name: string, title: string, method: string, path: string): Fact {
  return {
    id: `routing/${name}`,
    title,
    request: { method, path },
    answer: {
      status: 403,
      headers: { 'x-amzn-ErrorType': 'MissingAuthenticationTokenException' },
      json: { message: 'Missing Authentication Token' },
    },
  };
}

const siblings: Recording = {
  source: localstack(
    'test_apigateway_common',
    'TestApigatewayRouting::test_proxy_routing_with_hardcoded_resource_sibling',
  ),
  endpoint: 'EDGE',
  api: {
    stage: 'dev',
    methods: {
      'POST /test': named('POST request'),
      'ANY /test/any': named('ANY request'),
      'OPTIONS /{proxy+}': named('OPTIONS request'),
    },
  },
  facts: [
    reaches(
      'method-of-sibling',
      'a method that a static resource lacks is looked for in a greedy sibling',
      'OPTIONS',
      '/dev/test',
      'OPTIONS request',
    ),
    reaches(
      'static-method',
      'a method of a static resource is found there',
      'POST',
      '/dev/test',
      'POST request',
    ),
    reaches(
      'any-before-sibling',
      'ANY of a static resource comes before the method of a greedy one',
      'OPTIONS',
      '/dev/test/any',
      'ANY request',
    ),
    reaches('any', 'ANY takes every method', 'GET', '/dev/test/any', 'ANY request'),
  ],
};

const order: Recording = {
  source: localstack(
    'test_apigateway_common',
    'TestApigatewayRouting::test_routing_with_hardcoded_resource_sibling_order',
  ),
  endpoint: 'EDGE',
  api: {
    stage: 'dev',
    methods: {
      'GET /part1': named('part1'),
      'GET /{param+}': named('proxy'),
      'GET /part1/hardcoded-value': named('hardcoded-value'),
    },
  },
  facts: [
    reaches(
      'static-first',
      'a static resource comes before a greedy one',
      'GET',
      '/dev/part1',
      'part1',
    ),
    reaches(
      'static-below',
      'so does a static resource below another',
      'GET',
      '/dev/part1/hardcoded-value',
      'hardcoded-value',
    ),
    reaches(
      'greedy-above',
      'a path below a static resource without children for it is the greedy one',
      'GET',
      '/dev/part1/random-value',
      'proxy',
    ),
  ],
};

const unknown: Recording = {
  source: localstack('test_apigateway_common', 'TestApigatewayRouting::test_routing_not_found'),
  endpoint: 'EDGE',
  api: { stage: 'dev', methods: { 'GET /existing': named('exists') } },
  facts: [
    reaches('existing', 'a method that exists is found', 'GET', '/dev/existing', 'exists'),
    isUnknown(
      'unknown-path',
      'a path that does not exist is answered 403',
      'GET',
      '/dev/random-non-existing',
    ),
    isUnknown(
      'unknown-method',
      'a method that does not exist is answered 403',
      'POST',
      '/dev/existing',
    ),
  ],
};

export const routing: readonly Recording[] = [siblings, order, unknown];
