import type { LambdaFunctions } from '../functions/lambda-functions.ts';
import { type ProxyIntegration, readProxyIntegration } from '../integrations/integration.ts';
import { type MockIntegration, readMockIntegration } from '../integrations/mock-integration.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import { TemplateError } from '../template/template-error.ts';
import type { Authorizer } from './authorizer.ts';

/** A method of the API, with its authorizer and its integration. */
export interface ApiMethod {
  readonly operationName: string | undefined;
  readonly authorizer: Authorizer | undefined;
  readonly isApiKeyRequired: boolean;
  readonly integration: MockIntegration | ProxyIntegration;
}

/**
 * The template's methods by logical id.
 *
 * @throws TemplateError for what is not supported
 */
export function readMethods(
  template: Template,
  functions: LambdaFunctions,
  authorizers: ReadonlyMap<string, Authorizer>,
): Map<string, ApiMethod> {
  return new Map(
    template.ofType('AWS::ApiGateway::Method').map((method) => [
      method.logicalId,
      {
        operationName: method.property('OperationName'),
        authorizer: authorizerOf(method, authorizers),
        isApiKeyRequired: method.property('ApiKeyRequired') === true,
        integration: readIntegration(method, functions),
      },
    ]),
  );
}

function authorizerOf(
  { logicalId, property }: TemplateResource,
  authorizers: ReadonlyMap<string, Authorizer>,
): Authorizer | undefined {
  const type = property('AuthorizationType');
  if (type === 'NONE' || type === undefined) return undefined;
  if (type !== 'CUSTOM')
    throw new TemplateError(logicalId, `AuthorizationType ${type} is not supported`);
  const authorizer = authorizers.get(property('AuthorizerId'));
  if (!authorizer)
    throw new TemplateError(logicalId, 'AuthorizerId is not an authorizer of the template');
  return authorizer;
}

function readIntegration(method: TemplateResource, functions: LambdaFunctions) {
  const type = method.property('Integration')?.Type;
  if (type === 'AWS_PROXY') return readProxyIntegration(method, functions);
  if (type === 'MOCK') return readMockIntegration(method);
  throw new TemplateError(
    method.logicalId,
    `an integration of type ${type} is not supported locally`,
  );
}
