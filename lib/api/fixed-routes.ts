import {
  AuthorizationType,
  type IResource,
  type MethodOptions,
  MockIntegration,
  PassthroughBehavior,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { versionPath } from '../settings/functions.ts';
import {
  type ErrorAnswer,
  errorAnswer,
  type Mappings,
  rateLimitMappings,
  staticMappings,
} from './error-answers.ts';

/* The routes that always have the same answer. API Gateway gives this answer without calling a function. */

/**
 * The `Deprecation` and the `Sunset` of `GET /pets/{petId}`, which the contract has, too. Both dates are assumptions,
 * because the specification gives no date.
 */
const deprecatedAt = new Date('2026-05-01T00:00:00Z');
const sunsetAt = new Date('2026-11-01T00:00:00Z');

/** An error, or an answer without a body. */
type FixedAnswer = Omit<ErrorAnswer, 'body'> & Partial<ErrorAnswer>;

/** A preflight allows every method, so that a page can read the response to a wrong method. */
const preflightAnswer: FixedAnswer = {
  status: 204,
  headers: staticMappings({
    'Access-Control-Allow-Methods': '*',
    // The wildcard stands for all other headers, such as the headers that a tool in a browser adds to trace requests.
    'Access-Control-Allow-Headers': 'Authorization, *',
    // Two hours, because Chromium caches the response to a preflight request for no longer.
    'Access-Control-Max-Age': '7200',
  }),
};

/**
 * The content types that forms, `fetch` and `curl` send by themselves. Each content type needs a request template with
 * the status. A request of any other type gets the gateway response `UNSUPPORTED_MEDIA_TYPE`, a 404.
 */
const contentTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
];

const withoutKey = { authorizationType: AuthorizationType.NONE, apiKeyRequired: false };

/**
 * Adds `GET /pets/{petId}`, which answers 410. The `Deprecation` header is a structured-field date
 * (RFC 9745), the `Sunset` header an HTTP date (RFC 8594).
 */
export function addRetiredPetOperation(restApi: RestApi, everyResponse: Mappings): void {
  const headers = staticMappings({
    Deprecation: `@${deprecatedAt.getTime() / 1000}`,
    Sunset: sunsetAt.toUTCString(),
  });
  const answer = errorAnswer('gone', { headers });
  const resource = restApi.root.resourceForPath(`${versionPath}/pets/{petId}`);
  const common = { ...rateLimitMappings(true), ...everyResponse };
  addFixedMethod(resource, 'GET', common, { operationName: 'getPet' }, answer);
}

/**
 * Adds the routes of requests that the API does not have. They have no authorizer, so these requests do not count
 * against a limit.
 *
 * - `ANY` on each resource with operations answers 405 to other methods.
 * - `ANY` on the root and on its child `{proxy+}` answers 404 to every other path. API Gateway chooses the
 *   most specific resource that has the request's method, so `{proxy+}` takes the paths below other
 *   resources too (recorded on AWS: https://github.com/ministackorg/ministack/pull/1423 and LocalStack's
 *   test_routing_with_hardcoded_resource_sibling_order). There is no `{proxy+}` further down, because a later
 *   deployment could then not add a path parameter there.
 *
 * Without these routes, API Gateway would take `Authorization: Bearer …` for an invalid SigV4 signature, and would
 * answer 403 with a gateway response of an undocumented type.
 *
 * @param restApi already has all its operations
 * @param hasPreflights whether every route answers 204 to `OPTIONS`, which browsers send without a key
 */
export function addOtherRoutes(
  restApi: RestApi,
  everyResponse: Mappings,
  hasPreflights: boolean,
): void {
  const routes = Map.groupBy(restApi.methods, ({ resource }) => resource);
  for (const resource of [restApi.root, restApi.root.addResource('{proxy+}')]) {
    routes.set(resource, []);
  }
  const preflight = hasPreflights ? ['OPTIONS'] : [];
  const common = { ...rateLimitMappings(), ...everyResponse };
  for (const [resource, operations] of routes) {
    if (hasPreflights) addFixedMethod(resource, 'OPTIONS', common, withoutKey, preflightAnswer);
    const Allow = [...operations.map(({ httpMethod }) => httpMethod), ...preflight].join(', ');
    const answer =
      operations.length > 0
        ? errorAnswer('method_not_allowed', { headers: staticMappings({ Allow }) })
        : errorAnswer('not_found');
    addFixedMethod(resource, 'ANY', common, withoutKey, answer);
  }
}

/**
 * Adds a method with a MOCK integration.
 *
 * @param common the headers in addition to the answer's own
 */
function addFixedMethod(
  resource: IResource,
  httpMethod: string,
  common: Mappings,
  options: MethodOptions,
  { status, headers, body }: FixedAnswer,
): void {
  const statusCode = String(status);
  const requestTemplate = JSON.stringify({ statusCode: status });
  const parameters = Object.entries({ ...common, ...headers }).map(
    ([name, value]) => [`method.response.header.${name}`, value] as const,
  );
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: Object.fromEntries(contentTypes.map((type) => [type, requestTemplate])),
    integrationResponses: [
      {
        statusCode,
        responseParameters: Object.fromEntries(parameters),
        ...(body !== undefined && { responseTemplates: { 'application/json': body } }),
      },
    ],
  });
  const declared = Object.fromEntries(parameters.map(([name]) => [name, true]));
  resource.addMethod(httpMethod, integration, {
    ...options,
    methodResponses: [{ statusCode, responseParameters: declared }],
  });
}
