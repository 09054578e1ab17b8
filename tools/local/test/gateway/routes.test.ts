import { describe, expect, it } from '@jest/globals';
import type { ApiMethod } from '../../gateway/api-definition.ts';
import { matchRoute, readRoutes } from '../../gateway/routes.ts';
import { api, createTemplate, method, mock, type Resources } from '../small-template.ts';

const names = [
  'GET /',
  'GET /orders',
  'POST /orders',
  'GET /orders/{id}',
  'DELETE /orders/{id}',
  'GET /orders/mine',
  'GET /orders/{id}/lines/{line}',
  'ANY /files/{path+}',
  'GET /files/readme',
];
const resources: Resources = {
  ...api,
  ...Object.assign({}, ...names.map((name) => method(name, mock()))),
};
// A template may name a resource before its parent.
const template = createTemplate(Object.fromEntries(Object.entries(resources).reverse()));
const routes = readRoutes(
  template,
  template.ofType('AWS::ApiGateway::RestApi')[0]!,
  ({ logicalId }) => ({ operationName: logicalId }) as ApiMethod,
);

function find(httpMethod: string, path: string) {
  const route = matchRoute(routes, httpMethod, path);
  return route && [route.method.operationName, route.resource.path, route.pathParameters];
}

describe('route matching', () => {
  it.each<[string, string, string, string, Record<string, string>]>([
    ['the root', 'GET', '/', 'GET /', {}],
    ['a static path', 'GET', '/orders', 'GET /orders', {}],
    ['another method', 'POST', '/orders', 'POST /orders', {}],
    ['a parameter', 'GET', '/orders/7', 'GET /orders/{id}', { id: '7' }],
    ['a static segment before a parameter', 'GET', '/orders/mine', 'GET /orders/mine', {}],
    [
      'a parameter if the static path lacks the method',
      'DELETE',
      '/orders/mine',
      'DELETE /orders/{id}',
      { id: 'mine' },
    ],
    [
      'two parameters',
      'GET',
      '/orders/7/lines/2',
      'GET /orders/{id}/lines/{line}',
      { id: '7', line: '2' },
    ],
    ['a greedy parameter', 'PUT', '/files/a/b/c', 'ANY /files/{path+}', { path: 'a/b/c' }],
    ['a greedy parameter of one segment', 'PUT', '/files/a', 'ANY /files/{path+}', { path: 'a' }],
    ['a static segment before a greedy one', 'GET', '/files/readme', 'GET /files/readme', {}],
    ['a trailing slash', 'GET', '/orders/', 'GET /orders', {}],
    ['several trailing slashes', 'GET', '/orders///', 'GET /orders', {}],
    ['an encoded slash, kept encoded', 'GET', '/orders/%2F', 'GET /orders/{id}', { id: '%2F' }],
    ['an encoded NUL, kept encoded', 'GET', '/orders/%00', 'GET /orders/{id}', { id: '%00' }],
    ['braces as a value', 'GET', '/orders/{id}', 'GET /orders/{id}', { id: '{id}' }],
    ['a dot', 'GET', '/orders/..', 'GET /orders/{id}', { id: '..' }],
  ])('finds %s', (_, httpMethod, path, name, parameters) => {
    expect(find(httpMethod, path)).toEqual([name, name.split(' ')[1], parameters]);
  });

  it.each([
    ['an unknown path', 'GET', '/nothing'],
    ['an unknown method', 'PATCH', '/orders'],
    ['HEAD of a path that has only GET', 'HEAD', '/orders'],
    ['an empty parameter', 'DELETE', '/orders/'],
    ['another letter case', 'GET', '/Orders'],
    ['an empty segment in between', 'GET', '/orders//lines/2'],
    ['an encoded static segment', 'GET', '/%6Frders'],
    ['a path below the last resource', 'GET', '/orders/7/lines/2/more'],
    ['an empty greedy parameter', 'PUT', '/files/'],
  ])('does not find %s', (_, httpMethod, path) => {
    expect(find(httpMethod, path)).toBeUndefined();
  });
});
