import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../../test/helpers/temporary-directory.ts';
import { Gateway } from '../../aws/api-gateway/gateway.ts';
import {
  type IncomingRequest,
  parseHeaders,
  parseTarget,
} from '../../aws/api-gateway/incoming-request.ts';
import type { InvocationResult } from '../../aws/lambda/function-code.ts';
import { createControlPlane } from '../../aws/management/control-plane.ts';
import { Template } from '../../aws/template.ts';

type Properties = Record<string, unknown>;
type GatewayServices = ConstructorParameters<typeof Gateway>[1];
export type Resources = Record<string, { Type: string; Properties?: Properties }>;

const environment = {
  stackName: 'Small',
  region: 'eu-central-1',
  accountId: '123456789012',
};

export function createTemplate(resources: Resources): Template {
  return new Template({ Resources: resources }, environment);
}

/** An API with one stage, `test`, to which a test adds methods. */
export const api: Resources = {
  Api: {
    Type: 'AWS::ApiGateway::RestApi',
    Properties: { Name: 'small', ApiKeySourceType: 'AUTHORIZER' },
  },
  Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'Api' } } },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      RestApiId: { Ref: 'Api' },
      DeploymentId: { Ref: 'Deployment' },
      StageName: 'test',
    },
  },
};

/** The resources that make a path such as `/orders/{id}`; the last one is named `Resource:<path>`. */
function path(path: string): Resources {
  const parts = path.split('/').slice(1);
  return Object.fromEntries(
    parts.map((PathPart, index) => {
      const parent = `/${parts.slice(0, index).join('/')}`;
      return [
        `Resource:/${parts.slice(0, index + 1).join('/')}`,
        {
          Type: 'AWS::ApiGateway::Resource',
          Properties: { PathPart, ParentId: resourceId(parent), RestApiId: { Ref: 'Api' } },
        },
      ];
    }),
  );
}

/** A method, with its path; named `GET /orders`. */
export function method(name: string, properties: Properties): Resources {
  const [HttpMethod, methodPath] = name.split(' ') as [string, string];
  return {
    ...(methodPath === '/' ? {} : path(methodPath)),
    [name]: {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        HttpMethod,
        ResourceId: resourceId(methodPath),
        RestApiId: { Ref: 'Api' },
        AuthorizationType: 'NONE',
        ...properties,
      },
    },
  };
}

function resourceId(path: string): object {
  if (path === '/') return { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  return { Ref: `Resource:${path}` };
}

/** A MOCK integration that answers 200, or another status. */
export function mock({
  statusCode = 200,
  headers = {},
  body,
}: {
  statusCode?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string;
} = {}): Properties {
  const mapped = Object.entries(headers).map(([name, value]) => [
    `method.response.header.${name}`,
    `'${value}'`,
  ]);
  const ResponseParameters = Object.fromEntries(mapped);
  const ResponseTemplates = body === undefined ? {} : { 'application/json': body };
  const StatusCode = String(statusCode);
  return {
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': JSON.stringify({ statusCode }) },
      IntegrationResponses: [{ StatusCode, ResponseParameters, ResponseTemplates }],
    },
    MethodResponses: [{ StatusCode, ResponseParameters }],
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
        Code: { S3Bucket: 'assets', S3Key: `${name}.zip` },
        Handler: 'index.handler',
        Role: arnOf(`${name}Role`),
        Runtime: 'nodejs24.x',
        ...properties,
      },
    },
    [`${name}Role`]: {
      Type: 'AWS::IAM::Role',
      Properties: { Policies: [{ PolicyDocument: { Statement: statements } }] },
    },
  };
}

/** The URI that invokes a function. */
function invocationUri(arn: unknown, isStreaming = false): object {
  const version = isStreaming ? '2021-11-15' : '2015-03-31';
  const operation = isStreaming ? 'response-streaming-invocations' : 'invocations';
  const start = `arn:aws:apigateway:eu-central-1:lambda:path/${version}/functions/`;
  return { 'Fn::Join': ['', [start, arn, `/${operation}`]] };
}

const arnOf = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });

export function proxy(name: string, integration: Properties = {}): Properties {
  const isStreaming = integration.ResponseTransferMode === 'STREAM';
  return {
    Integration: {
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      Uri: invocationUri(arnOf(name), isStreaming),
      ...integration,
    },
  };
}

/** An assembly on disk: a template, its manifest and the code of its functions. */
export interface Assembly {
  readonly directory: string;
  readonly templateFile: string;
  readonly assetsManifestFile: string;
  remove(): void;
}

/** @param code by function name; each is the text of an `index.js` */
export function writeAssembly(
  resources: Resources,
  code: Readonly<Record<string, string>>,
): Assembly {
  const { path: directory, write, remove } = temporaryDirectory();
  const files = Object.keys(code).map((name) => [
    name,
    {
      source: { path: `asset.${name}` },
      destinations: { here: { objectKey: `${name}.zip` } },
    },
  ]);
  for (const [name, text] of Object.entries(code)) {
    mkdirSync(join(directory, `asset.${name}`), { recursive: true });
    write(`asset.${name}/index.js`, text);
  }
  const template = { Resources: resources };
  const templateFile = write('Small.template.json', JSON.stringify(template));
  const manifest = { files: Object.fromEntries(files) };
  const assetsManifestFile = write('Small.assets.json', JSON.stringify(manifest));
  return { directory, templateFile, assetsManifestFile, remove };
}

export interface RequestParts {
  method?: string;
  target?: string;
  headers?: readonly (readonly [string, string])[];
  body?: string | Buffer;
  timeMs?: number;
}

export function createRequest(parts: RequestParts = {}): IncomingRequest {
  return {
    method: parts.method ?? 'GET',
    ...parseTarget(parts.target ?? '/test/orders'),
    headers: parseHeaders((parts.headers ?? []).flat()),
    body: Buffer.from(parts.body ?? ''),
    sourceIp: '192.0.2.1',
    timeMs: parts.timeMs ?? Date.UTC(2026, 3, 9, 12, 34, 56),
  };
}

/** Runs the function of an event. It is known by the URI of its integration. */
export type RunFunction = (name: string, event: object) => Promise<InvocationResult>;

/** @param keyValue the value of a key in the only usage plan */
export async function gatewayOf(
  template: Template,
  run: RunFunction,
  keyValue: string,
  logFault: GatewayServices['logFault'] = () => {},
): Promise<Gateway> {
  const controlPlane = createControlPlane(['plan']);
  const { id: keyId } = await controlPlane.createApiKey({
    name: '',
    value: keyValue,
    enabled: true,
  });
  await controlPlane.createUsagePlanKey({ usagePlanId: 'plan', keyId });
  const functionOf = (uri: string) => (event: object) => run(uri, event);
  return new Gateway(template, { functionOf, meter: controlPlane.meter, logFault });
}
