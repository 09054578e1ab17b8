import {
  AuthorizationType,
  type IResource,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { fixedAnswer } from './fixed-answer.ts';
import { notFound, rateLimitMappings } from './gateway-responses.ts';

/** What clients send: whatever an unknown path is asked with, it is unknown. */
const contentTypes = [
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

/**
 * Answers 404 to every path and method that the API does not have, by routes of their own: `ANY` on
 * each resource, and `{proxy+}` below each that has no path parameter for a child. They have no
 * authorizer, so that an unknown path costs nobody a request.
 *
 * Without them API Gateway decides what such a request is. With `Authorization: Bearer …` it tries
 * to read a SigV4 signature and answers 403, as a gateway response whose type is documented nowhere.
 *
 * Call it when all other resources are there.
 */
export function addUnknownRoutes(restApi: RestApi): void {
  const resources = restApi.node.findAll().filter((construct) => construct instanceof Resource);
  for (const resource of [restApi.root, ...resources]) {
    addAnyMethod(resource);
    if (!hasPathParameter(resource)) addAnyMethod(resource.addResource('{proxy+}'));
  }
}

/** API Gateway allows one child with a path parameter. */
function hasPathParameter(resource: IResource): boolean {
  return resource.node.children.some(
    (child) => child instanceof Resource && child.path.endsWith('}'),
  );
}

function addAnyMethod(resource: IResource): void {
  const { integration, methodResponses } = fixedAnswer(
    notFound,
    rateLimitMappings('none'),
    contentTypes,
  );
  resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses,
  });
}
