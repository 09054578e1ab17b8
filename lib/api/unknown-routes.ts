import {
  AuthorizationType,
  type IResource,
  Resource,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { everyContentType, fixedAnswer } from './fixed-answer.ts';
import { notFound, rateLimitMappings } from './gateway-responses.ts';

/**
 * Adds routes that answer 404 to every path and method that the API does not have: `ANY` on each
 * resource, and `{proxy+}` below each resource without a path parameter as a child. They have no
 * authorizer, so that a request to an unknown path does not count against a limit.
 *
 * Without these routes API Gateway would interpret `Authorization: Bearer …` as an invalid SigV4
 * signature and answer 403 with a gateway response of an undocumented type.
 *
 * It must be called after all other resources have been added.
 *
 * @param headers of every response, as mapping expressions, in addition to the rate-limit headers
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

/** Whether a child is a path parameter. API Gateway allows only one such child for each resource. */
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
