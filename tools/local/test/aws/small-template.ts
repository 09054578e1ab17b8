import { type Gateway, readGateway } from '../../aws/api-gateway/gateway.ts';
import {
  type IncomingRequest,
  parseHeaders,
  parseTarget,
} from '../../aws/api-gateway/incoming-request.ts';
import type { InvocationResult } from '../../aws/lambda/function-code.ts';
import { createControlPlane } from '../../aws/management/control-plane.ts';
import { readTemplate, type Template } from '../../aws/template.ts';

type Properties = Record<string, unknown>;
export type Resources = Record<string, { Type: string; Properties?: Properties }>;

export function createTemplate(resources: Resources): Template {
  return readTemplate({ Resources: resources }, 'Small');
}

/** An API with one stage, `test`, to which a test adds methods. */
export const api: Resources = {
  Api: { Type: 'AWS::ApiGateway::RestApi' },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: { DeploymentId: 'deployment', StageName: 'test' },
  },
};

/** A method, with the resources of its path; named `GET /orders/{id}`. */
export function method(name: string, properties: Properties): Resources {
  const [HttpMethod, path] = name.split(' ') as [string, string];
  const resources: Resources = {};
  let id: unknown = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  let parent = '';
  for (const PathPart of path.split('/').filter((part) => part !== '')) {
    parent += `/${PathPart}`;
    resources[parent] = {
      Type: 'AWS::ApiGateway::Resource',
      Properties: { PathPart, ParentId: id },
    };
    id = { Ref: parent };
  }
  const Properties = { HttpMethod, ResourceId: id, ...properties };
  return { ...resources, [name]: { Type: 'AWS::ApiGateway::Method', Properties } };
}

/** A MOCK integration that answers 200. */
export function mock(body = ''): { Integration: object } {
  const ResponseTemplates = { 'application/json': body };
  return {
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":200}' },
      IntegrationResponses: [{ StatusCode: '200', ResponseTemplates }],
    },
  };
}

/** A function with a role that allows nothing, or what its statements say. */
export function lambda(
  name: string,
  properties: Properties = {},
  statements: readonly object[] = [],
): Resources {
  return {
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Key: `${name}.zip` },
        Handler: 'index.handler',
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        ...properties,
      },
    },
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: { Policies: [{ PolicyDocument: { Statement: statements } }] },
    },
  };
}

/** The integration of a function. */
export function proxy(Uri: unknown, integration: Properties = {}): { Integration: object } {
  return { Integration: { Type: 'AWS_PROXY', Uri, ...integration } };
}

export interface RequestParts {
  method?: string;
  target?: string;
  headers?: readonly (readonly [string, string])[];
  body?: string;
}

export function createRequest(parts: RequestParts = {}): IncomingRequest {
  return {
    method: parts.method ?? 'GET',
    ...parseTarget(parts.target ?? '/test/orders'),
    headers: parseHeaders((parts.headers ?? []).flat()),
    body: Buffer.from(parts.body ?? ''),
    sourceIp: '192.0.2.1',
    timeMs: Date.UTC(2026, 3, 9, 12, 34, 56),
  };
}

/** Runs the function of an event. It is known by the URI of its integration. */
export type RunFunction = (uri: string, event: object) => Promise<InvocationResult>;

/** @param keyValue the value of a key in a usage plan; the key `in no plan` is in none */
export async function gatewayOf(
  template: Template,
  run: RunFunction,
  keyValue: string,
  log: (source: string, line: string) => void = () => {},
): Promise<Gateway> {
  const { createGatewayKey, addToUsagePlan, meter } = createControlPlane();
  await createGatewayKey({ name: '', value: 'in no plan' });
  const { id: keyId } = await createGatewayKey({ name: '', value: keyValue });
  await addToUsagePlan('plan', keyId);
  const functionOf = (uri: string) => (event: object) => run(uri, event);
  return readGateway(template, functionOf, meter, log);
}
