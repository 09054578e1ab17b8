import { resourcesOfType, type StageName, type TemplateResource } from '../helpers/synthesized.ts';

interface DeployedMethod {
  /** Such as `/v1/store/orders/{orderId}`. */
  readonly path: string;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shape
  readonly properties: Record<string, any>;
}

/** All methods of a stage's template, each with its whole path: its operations, and the methods `ANY`. */
export function deployedMethods(stage: StageName): DeployedMethod[] {
  const resources = new Map(resourcesOfType(stage, 'AWS::ApiGateway::Resource'));
  return resourcesOfType(stage, 'AWS::ApiGateway::Method').map(([, { Properties }]) => ({
    path: pathOf(Properties.ResourceId.Ref, resources),
    method: Properties.HttpMethod,
    properties: Properties,
  }));
}

function pathOf(logicalId: string, resources: Map<string, TemplateResource>): string {
  const resource = resources.get(logicalId);
  if (resource === undefined) return '';
  const { ParentId, PathPart } = resource.Properties;
  return `${pathOf(ParentId.Ref, resources)}/${PathPart}`;
}

/**
 * Renders an answer that API Gateway gives without a function, to compare it with the contract.
 *
 * @param answer the properties of a gateway response or of an integration response
 */
export function renderAnswer(
  answer: DeployedMethod['properties'],
  authorizer: Readonly<Record<string, string>>,
) {
  const headers = Object.entries<string>(answer.ResponseParameters);
  const rendered = headers.map(([name, expression]): [string, string[]] => [
    name.replace(/^(gatewayresponse|method\.response)\.header\./, '').toLowerCase(),
    [renderHeader(expression, authorizer)],
  ]);
  const [[contentType, text] = ['', '']] = Object.entries<string>(answer.ResponseTemplates);
  return {
    status: Number(answer.StatusCode),
    headers: new Map([...rendered, ['content-type', [contentType]]]),
    text: text.replace(/\$context\.authorizer\.(\w+)/g, (_all, name) => authorizer[name] ?? ''),
  };
}

// 'a constant' in single quotes, or a variable of the authorizer's context.
function renderHeader(expression: string, authorizer: Readonly<Record<string, string>>): string {
  const constant = /^'(.*)'$/.exec(expression)?.[1];
  const variable = /^context\.authorizer\.(\w+)$/.exec(expression)?.[1];
  if (constant !== undefined) return constant;
  const value = authorizer[variable ?? ''];
  if (value === undefined)
    throw new Error(`'${expression}' is neither constant nor the authorizer's`);
  return value;
}
