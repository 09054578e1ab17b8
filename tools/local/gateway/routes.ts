import { TemplateError } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import type { ApiMethod } from './api-definition.ts';

/** A resource of the REST API: one node of its tree of paths. */
export interface ApiResource {
  /** API Gateway's resource id. */
  readonly id: string;
  /** The path from the API's root, such as `/orders/{orderId}`. */
  readonly path: string;
  /** By HTTP method; `ANY` applies to all other methods. */
  readonly methods: Map<string, ApiMethod>;
  readonly children: Map<string, ApiResource>;
}

/** The method that matches a request, with the parameters of its path. */
export interface Route {
  readonly resource: ApiResource;
  readonly method: ApiMethod;
  /** The parameters as the client sent them, percent-encoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Builds the tree of paths from the template's resources and methods.
 *
 * @param readMethod reads a method's template resource
 * @throws TemplateError when a parent or a method's resource is missing
 */
export function readRoutes(
  template: Template,
  restApi: TemplateResource,
  readMethod: (method: TemplateResource) => ApiMethod,
): ApiResource {
  const rootId = restApi.attribute('RootResourceId')!;
  const root = createResource(rootId, '/');
  const byId = new Map([[rootId, root]]);
  let waiting = template.ofType('AWS::ApiGateway::Resource');
  while (waiting.length > 0) {
    const ready = waiting.filter((resource) => byId.has(resource.property('ParentId')));
    if (ready.length === 0)
      throw new TemplateError(waiting[0]!.logicalId, 'ParentId is not a resource');
    for (const resource of ready) addResource(resource, byId);
    waiting = waiting.filter((resource) => !ready.includes(resource));
  }
  for (const method of template.ofType('AWS::ApiGateway::Method')) {
    const resource = byId.get(method.property('ResourceId'));
    if (!resource) throw new TemplateError(method.logicalId, 'ResourceId is not a resource');
    resource.methods.set(method.property('HttpMethod'), readMethod(method));
  }
  return root;
}

/**
 * Finds the method for a request; undefined when the path or the method is unknown.
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

function createResource(id: string, path: string): ApiResource {
  return { id, path, methods: new Map(), children: new Map() };
}

function addResource(resource: TemplateResource, byId: Map<string, ApiResource>): void {
  const parent = byId.get(resource.property('ParentId'))!;
  const part = String(resource.property('PathPart'));
  const path = parent.path === '/' ? `/${part}` : `${parent.path}/${part}`;
  const child = createResource(resource.ref, path);
  parent.children.set(part, child);
  byId.set(resource.ref, child);
}
