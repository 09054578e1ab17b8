import { TemplateError, unsupported } from '../errors.ts';
import type { TargetOf } from '../lambda/functions.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import type { Authorizer } from './authorizer.ts';
import { readMockIntegration } from './mock-integration.ts';
import { readProxyIntegration } from './proxy-integration.ts';
import type { ApiStage, Integration } from './request-context.ts';

/** A method of the API, with its authorizer and its integration. */
export type ApiMethod = ReturnType<typeof readMethod>;

/** @throws TemplateError if there is not exactly one supported REST API */
export function readRestApi(template: Template): TemplateResource {
  const restApi = onlyOne('AWS::ApiGateway::RestApi', template);
  // Without this property, API Gateway would expect the key in a header of the request.
  if (restApi.property('ApiKeySourceType') !== 'AUTHORIZER') {
    throw unsupported(restApi.logicalId, 'ApiKeySourceType other than AUTHORIZER');
  }
  return restApi;
}

/** @throws TemplateError if there is not exactly one stage */
export function readStage(template: Template, restApi: TemplateResource): ApiStage {
  const { ref, property } = onlyOne('AWS::ApiGateway::Stage', template);
  const { accountId, region } = template.environment;
  const deploymentId = property('DeploymentId');
  return { accountId, region, apiId: restApi.ref, stage: ref, deploymentId };
}

/** @throws TemplateError for a method that is not supported */
export function readMethod(
  method: TemplateResource,
  targetOf: TargetOf,
  authorizers: ReadonlyMap<string, Authorizer>,
) {
  return {
    operationName: method.property('OperationName') as string | undefined,
    authorizer: authorizerOf(method, authorizers),
    isApiKeyRequired: method.property('ApiKeyRequired') === true,
    integration: readIntegration(method, targetOf),
  };
}

function onlyOne(type: string, template: Template): TemplateResource {
  const [found, another] = template.ofType(type);
  if (!found) throw new TemplateError('template', `there is no ${type}`);
  if (another) throw unsupported(another.logicalId, `a second ${type}`);
  return found;
}

function authorizerOf(
  { logicalId, property }: TemplateResource,
  authorizers: ReadonlyMap<string, Authorizer>,
): Authorizer | undefined {
  const type = property('AuthorizationType');
  if (type === 'NONE' || type === undefined) return undefined;
  if (type !== 'CUSTOM') throw unsupported(logicalId, `AuthorizationType ${type}`);
  const authorizer = authorizers.get(property('AuthorizerId'));
  if (!authorizer)
    throw new TemplateError(logicalId, 'AuthorizerId is not an authorizer of the template');
  return authorizer;
}

function readIntegration(method: TemplateResource, targetOf: TargetOf): Integration {
  const type = method.property('Integration')?.Type;
  if (type === 'AWS_PROXY') return readProxyIntegration(method, targetOf);
  if (type === 'MOCK') return readMockIntegration(method);
  throw unsupported(method.logicalId, `an integration of type ${type}`);
}
