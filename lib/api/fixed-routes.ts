import {
  AuthorizationType,
  type IResource,
  type MethodOptions,
  MockIntegration,
  PassthroughBehavior,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { requestHeaders } from '../../lambdas/domain/headers.ts';
import {
  type ErrorAnswer,
  errorBody,
  notFound,
  rateLimitMappings,
  staticMappings,
} from './gateway-responses.ts';

/*
 * The routes that always have the same answer, which API Gateway gives without calling a function.
 * `everyResponse` always stands for the headers of every response, as mapping expressions.
 */

type Mappings = Readonly<Record<string, string>>;

/** When `GET /pets/{petId}` was deprecated, and when it was retired. */
const deprecatedAt = new Date('2026-05-01T00:00:00Z');
const sunsetAt = new Date('2026-11-01T00:00:00Z');

const gone: ErrorAnswer = {
  status: 410,
  code: 'gone',
  message: 'This operation was retired. See the Sunset header.',
};

/** The maximum for which Chromium caches the response to a preflight request. */
const preflightMaxAgeSeconds = 7_200;

/** The content types that clients send, for responses that do not depend on the request's body. */
const everyContentType = [
  'application/cbor',
  'application/graphql',
  'application/javascript',
  'application/json',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/pdf',
  'application/problem+json',
  'application/soap+xml',
  'application/vnd.api+json',
  'application/x-ndjson',
  'application/x-protobuf',
  'application/x-www-form-urlencoded',
  'application/xml',
  'application/yaml',
  'application/zip',
  'image/jpeg',
  'image/png',
  'multipart/form-data',
  'text/csv',
  'text/html',
  'text/plain',
  'text/xml',
];

/** Options of a method that anybody may call. */
const withoutKey = { authorizationType: AuthorizationType.NONE, apiKeyRequired: false };

/**
 * Adds `GET /v1/pets/{petId}`, which answers 410. The `Deprecation` header is a structured-field date
 * (RFC 9745), the `Sunset` header an HTTP date (RFC 8594).
 */
export function addRetiredPetOperation(restApi: RestApi, everyResponse: Mappings): void {
  const headers = {
    ...rateLimitMappings(true),
    ...everyResponse,
    ...staticMappings({
      Deprecation: `@${deprecatedAt.getTime() / 1000}`,
      Sunset: sunsetAt.toUTCString(),
      Link: '<../store/orders>; rel="successor-version"',
    }),
  };
  addFixedMethod(restApi.root.resourceForPath('/v1/pets/{petId}'), 'GET', {
    status: gone.status,
    body: errorBody(gone),
    headers,
    contentTypes: ['application/json'],
    options: { operationName: 'getPet' },
  });
}

/**
 * Adds an `OPTIONS` method that answers preflight requests to every resource with an operation. Browsers
 * send preflight requests without a key, so these methods have no authorizer and do not count against
 * a limit. `OPTIONS` takes precedence over `ANY`.
 *
 * It must be called after all operations have been added.
 */
export function addPreflights(restApi: RestApi, everyResponse: Mappings): void {
  const operations = Map.groupBy(restApi.methods, ({ resource }) => resource);
  for (const [resource, methods] of operations) {
    const headers = {
      ...rateLimitMappings(),
      ...everyResponse,
      ...staticMappings({
        'Access-Control-Allow-Methods': methods.map(({ httpMethod }) => httpMethod).join(', '),
        'Access-Control-Allow-Headers': requestHeaders.join(', '),
        'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
      }),
    };
    addFixedMethod(resource, 'OPTIONS', { status: 204, headers, options: withoutKey });
  }
}

/**
 * Adds routes that answer 404 to every path and method that the API does not have: `ANY` on each
 * resource, and `{proxy+}` below each resource without a path parameter as a child. They have no
 * authorizer, so that a request to an unknown path does not count against a limit.
 *
 * Without these routes API Gateway would interpret `Authorization: Bearer …` as an invalid SigV4
 * signature and answer 403 with a gateway response of an undocumented type.
 *
 * It must be called after all other resources have been added.
 */
export function addUnknownRoutes(restApi: RestApi, everyResponse: Mappings): void {
  const addAny = (resource: IResource) =>
    addFixedMethod(resource, 'ANY', {
      status: notFound.status,
      body: errorBody(notFound),
      headers: { ...rateLimitMappings(), ...everyResponse },
      options: withoutKey,
    });
  const resources = restApi.node.findAll().filter((construct) => construct instanceof Resource);
  for (const resource of [restApi.root, ...resources]) {
    addAny(resource);
    if (!hasPathParameter(resource)) addAny(resource.addResource('{proxy+}'));
  }
}

/** Whether a child is a path parameter. API Gateway allows only one such child for each resource. */
function hasPathParameter(resource: IResource): boolean {
  return resource.node.children.some(
    (child) => child instanceof Resource && child.path.endsWith('}'),
  );
}

interface FixedAnswer {
  readonly status: number;
  /** @default - the response is empty */
  readonly body?: string;
  /** The headers as mapping expressions. */
  readonly headers: Mappings;
  /**
   * The content types of requests that get this answer. API Gateway takes the status from the request
   * template for the content type, and answers 415 if there is none.
   *
   * @default - all that clients send
   */
  readonly contentTypes?: readonly string[];
  readonly options: MethodOptions;
}

/** Adds a method with a MOCK integration that always has the same answer. */
function addFixedMethod(
  resource: IResource,
  httpMethod: string,
  { status, body, headers, contentTypes = everyContentType, options }: FixedAnswer,
): void {
  const statusCode = String(status);
  const requestTemplate = JSON.stringify({ statusCode: status });
  const parameters = Object.entries(headers).map(
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
