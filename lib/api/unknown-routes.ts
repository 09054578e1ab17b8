import {
  AuthorizationType,
  type IResource,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { everyContentType, fixedAnswer } from './fixed-answer.ts';
import { notFound, rateLimitMappings } from './gateway-responses.ts';

/**
 * Answers 404 to every path and method that the API does not have, by routes of their own: `ANY` on
 * each resource, and `{proxy+}` below each that has no path parameter for a child. They have no
 * authorizer, so that an unknown path costs nobody a request.
 *
 * Without them API Gateway decides what such a request is. With `Authorization: Bearer …` it tries
 * to read a SigV4 signature and answers 403, as a gateway response whose type is documented nowhere.
 *
 * Call it when all other resources are there.
 *
 * @param headers of every answer, as mapping expressions, besides the rate-limit headers
 */
export function addUnknownRoutes(
  restApi: RestApi,
  headers: Readonly<Record<string, string>>,
): void {
  const resources = restApi.node.findAll().filter((construct) => construct instanceof Resource);
  for (const resource of [restApi.root, ...resources]) {
    addAnyMethod(resource, headers);
    if (!hasPathParameter(resource)) addAnyMethod(resource.addResource('{proxy+}'), headers);
  }
}

/** API Gateway allows one child with a path parameter. */
function hasPathParameter(resource: IResource): boolean {
  return resource.node.children.some(
    (child) => child instanceof Resource && child.path.endsWith('}'),
  );
}

function addAnyMethod(resource: IResource, headers: Readonly<Record<string, string>>): void {
  const { integration, methodResponses } = fixedAnswer(
    notFound,
    { ...rateLimitMappings('none'), ...headers },
    everyContentType,
  );
  resource.addMethod('ANY', integration, {
    authorizationType: AuthorizationType.NONE,
    apiKeyRequired: false,
    methodResponses,
  });
}
