import type { Template, TemplateResource } from '../template/template.ts';
import type { ApiMethod } from './api-definition.ts';

interface Route {
  readonly resourceId: string;
  /** The path from the API's root, such as `/orders/{orderId}`. */
  readonly resourcePath: string;
  readonly method: ApiMethod;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the method for a request; undefined if the path or the method is unknown.
 *
 * A static segment has precedence over `{parameter}`, and `{parameter}` has precedence over `{proxy+}`. A trailing
 * slash is ignored. Paths are case-sensitive. Like on AWS, segments and parameters are not decoded (aws-sam-cli issue
 * 771, localstack pull request 7728).
 */
export type FindRoute = (httpMethod: string, path: string) => Route | undefined;

/** Reads the template's resources and methods. */
export function readRoutes(
  template: Template,
  restApi: TemplateResource,
  readMethod: (method: TemplateResource) => ApiMethod,
): FindRoute {
  const resources = template.ofType('AWS::ApiGateway::Resource').map(({ ref, property }) => ({
    id: ref,
    parent: property('ParentId'),
    part: property('PathPart'),
  }));
  const methods = new Map(
    template
      .ofType('AWS::ApiGateway::Method')
      .map((method) => [
        `${method.property('HttpMethod')} ${method.property('ResourceId')}`,
        readMethod(method),
      ]),
  );

  /** @param rest the segments below the resource */
  function find(httpMethod: string, id: string, path: string, rest: string[]): Route | undefined {
    const [segment, ...others] = rest;
    if (segment === undefined) {
      const method = methods.get(`${httpMethod} ${id}`) ?? methods.get(`ANY ${id}`);
      return method && { resourceId: id, resourcePath: path || '/', method, pathParameters: {} };
    }
    const children = resources.filter(({ parent }) => parent === id);
    const exact = children.find(({ part }) => part === segment && !part.startsWith('{'));
    const exactRoute = exact && find(httpMethod, exact.id, `${path}/${segment}`, others);
    if (exactRoute || segment === '') return exactRoute;
    // There is at most one, because API Gateway allows a single child with a parameter.
    const child = children.find(({ part }) => part.startsWith('{'));
    if (!child) return undefined;
    const isGreedy = child.part.endsWith('+}');
    const route = find(httpMethod, child.id, `${path}/${child.part}`, isGreedy ? [] : others);
    const name = child.part.replaceAll(/[{+}]/g, '');
    const value = isGreedy ? rest.join('/') : segment;
    return route && { ...route, pathParameters: { [name]: value, ...route.pathParameters } };
  }

  const root = restApi.attribute('RootResourceId')!;
  return (httpMethod, path) =>
    find(httpMethod, root, '', path.replace(/\/+$/, '').split('/').slice(1));
}
