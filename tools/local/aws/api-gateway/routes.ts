import type { FunctionOf } from '../lambda/functions.ts';
import { type Template, TemplateError, type TemplateResource } from '../template.ts';
import { type Authorizer, readAuthorizer } from './authorizer.ts';
import { readMockIntegration } from './mock-integration.ts';
import { proxyIntegration } from './proxy-integration.ts';
import type { Integration } from './request-context.ts';

/** A method of the API, with its path from the API's root, such as `/orders/{orderId}`. */
type Route = ReturnType<typeof readRoute>;

/**
 * Finds the method for a request; undefined if the path or the method is unknown.
 *
 * A static segment has precedence over `{parameter}`, and `{parameter}` has precedence over `{proxy+}`. A trailing
 * slash is ignored. Paths are case-sensitive. Like on AWS, segments and parameters are not decoded (aws-sam-cli issue
 * 771, localstack pull request 7728).
 */
export type FindRoute = (
  httpMethod: string,
  path: string,
) => { route: Route; pathParameters: Readonly<Record<string, string>> } | undefined;

/** Reads the template's resources and methods. @throws TemplateError for a method that is not supported */
export function readRoutes(template: Template, functionOf: FunctionOf): FindRoute {
  const resources = template.ofType('AWS::ApiGateway::Resource');
  const pathOf = (id: string): string => {
    const found = resources.find(({ ref }) => ref === id);
    return found ? `${pathOf(found.property('ParentId'))}/${found.property('PathPart')}` : '';
  };
  const authorizers = new Map(
    template
      .ofType('AWS::ApiGateway::Authorizer')
      .map((resource) => [resource.ref, readAuthorizer(resource, functionOf)]),
  );
  const routes = template
    .ofType('AWS::ApiGateway::Method')
    .map((method) =>
      readRoute(method, pathOf(method.property('ResourceId')), authorizers, functionOf),
    )
    .sort((one, other) => (precedence(one) < precedence(other) ? -1 : 1));

  return (httpMethod, path) => {
    for (const route of routes) {
      const match = route.pattern.exec(path.replace(/\/+$/, ''));
      if (match && ['ANY', httpMethod].includes(route.httpMethod)) {
        const values = route.parameterNames.map((name, index) => [name, match[index + 1]!]);
        return { route, pathParameters: Object.fromEntries(values) };
      }
    }
    return undefined;
  };
}

function readRoute(
  method: TemplateResource,
  path: string,
  authorizers: ReadonlyMap<string, Authorizer>,
  functionOf: FunctionOf,
) {
  const { logicalId, property } = method;
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith('{')) return RegExp.escape(segment);
    return segment.endsWith('+}') ? '([^/].*)' : '([^/]+)';
  });
  const authorizationType = property('AuthorizationType') ?? 'NONE';
  const authorizer = authorizers.get(property('AuthorizerId'));
  if (authorizationType !== 'NONE' && !authorizer) {
    throw new TemplateError(logicalId, `AuthorizationType ${authorizationType}`);
  }
  return {
    httpMethod: String(property('HttpMethod')),
    path: path || '/',
    pattern: new RegExp(`^${segments.join('/')}$`, 's'),
    parameterNames: [...path.matchAll(/\{(.+?)\+?\}/g)].map(([, name]) => name!),
    resourceId: String(property('ResourceId')),
    authorizer,
    isApiKeyRequired: property('ApiKeyRequired') === true,
    integration: readIntegration(method, functionOf),
  };
}

/** A text that sorts before the texts of routes with less precedence, such as `/0/1 0` for `GET /orders/{orderId}`. */
function precedence({ path, httpMethod }: Route): string {
  const ranks = path.replaceAll(/[^/]+/g, (segment) => {
    if (!segment.startsWith('{')) return '0';
    return segment.endsWith('+}') ? '2' : '1';
  });
  return `${ranks} ${httpMethod === 'ANY' ? 1 : 0}`;
}

function readIntegration(method: TemplateResource, functionOf: FunctionOf): Integration {
  const { Type, Uri, ResponseTransferMode } = method.property('Integration');
  if (Type === 'MOCK') return readMockIntegration(method);
  if (Type !== 'AWS_PROXY') {
    throw new TemplateError(method.logicalId, `an integration of type ${Type}`);
  }
  return proxyIntegration(functionOf(Uri, method.logicalId), ResponseTransferMode === 'STREAM');
}
