import type { Template, TemplateResource } from '../template/template.ts';
import type { ApiMethod } from './api-definition.ts';

/** A resource of the REST API: one node of its tree of paths. */
export interface ApiResource {
  /** API Gateway's resource id. */
  readonly id: string;
  /** The path from the API's root, such as `/orders/{orderId}`. */
  readonly path: string;
  /** By HTTP method; `ANY` applies to all other methods. */
  readonly methods: ReadonlyMap<string, ApiMethod>;
  readonly children: ReadonlyMap<string, ApiResource>;
}

/** The method that matches a request, with the parameters of its path. */
export interface Route {
  readonly resource: ApiResource;
  readonly method: ApiMethod;
  /** The parameters as the client sent them, percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Builds the tree of paths from the template's resources and methods. */
export function readRoutes(
  template: Template,
  restApi: TemplateResource,
  readMethod: (method: TemplateResource) => ApiMethod,
): ApiResource {
  const resources = template.ofType('AWS::ApiGateway::Resource');
  const children = Map.groupBy(resources, ({ property }) => property('ParentId'));
  const methods = Map.groupBy(template.ofType('AWS::ApiGateway::Method'), ({ property }) =>
    property('ResourceId'),
  );
  const build = (id: string, path: string): ApiResource => ({
    id,
    path: path || '/',
    methods: new Map(
      methods.get(id)?.map((method) => [method.property('HttpMethod'), readMethod(method)]),
    ),
    children: new Map(
      children.get(id)?.map(({ ref, property }) => {
        const part = property('PathPart');
        return [part, build(ref, `${path}/${part}`)];
      }),
    ),
  });
  return build(restApi.attribute('RootResourceId')!, '');
}

/**
 * Finds the method for a request; undefined if the path or the method is unknown.
 *
 * A static segment has precedence over `{parameter}`, and that over `{proxy+}`. A trailing slash is
 * ignored; paths are case-sensitive. Segments are compared and parameters passed on without decoding
 * them, which is how AWS behaves (aws-sam-cli issue 771, localstack pull request 7728).
 *
 * @param path the path from the API's root, starting with a single slash, without the query
 */
export function matchRoute(root: ApiResource, method: string, path: string): Route | undefined {
  return findRoute(root, method, path.replace(/\/+$/, '').split('/').slice(1));
}

/** Finds the method below a resource, for the rest of a path. */
function findRoute(
  resource: ApiResource,
  method: string,
  segments: readonly string[],
): Route | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    const found = resource.methods.get(method) ?? resource.methods.get('ANY');
    return found && { resource, method: found, pathParameters: {} };
  }
  const exact = segment.startsWith('{') ? undefined : resource.children.get(segment);
  const exactRoute = exact && findRoute(exact, method, rest);
  if (exactRoute || segment === '') return exactRoute;
  // API Gateway allows a single child with a parameter.
  const [part, child] = [...resource.children].find(([name]) => name.startsWith('{')) ?? [];
  if (!part || !child) return undefined;
  const isGreedy = part.endsWith('+}');
  const route = findRoute(child, method, isGreedy ? [] : rest);
  const name = part.replaceAll(/[{+}]/g, '');
  const value = isGreedy ? segments.join('/') : segment;
  return route && { ...route, pathParameters: { [name]: value, ...route.pathParameters } };
}
