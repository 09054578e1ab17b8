import { createHash } from 'node:crypto';
import {
  api,
  arnOf,
  invocationUri,
  lambda,
  method,
  proxy,
  type Resources,
} from '../local/small-template.ts';
import type { FactApi, FactAuthorizer, FactFunction, FactMethod, FactMock } from './fact.ts';

/** A template, and the code of its functions by name. */
interface FactAssembly {
  readonly resources: Resources;
  readonly code: Readonly<Record<string, string>>;
}

type Properties = Record<string, unknown>;

const jsonType = 'application/json';
const headerPrefix = 'method.response.header.';

/** The template that deploys an API with the parts that matter to a recording. */
export function createFactAssembly(factApi: FactApi): FactAssembly {
  const methods = Object.entries(factApi.methods);
  const { authorizer } = factApi;
  const codes = methods.flatMap(([, { function: own }]) => (own ? [codeOf(own)] : []));
  if (authorizer) codes.push(authorizerCode(authorizer));
  const code = Object.fromEntries(codes.map((text) => [functionName(text), text]));
  const resources: Resources = {
    ...api,
    ...sharedResources(factApi),
    ...(authorizer ? authorizerResource(authorizer) : {}),
    ...Object.assign({}, ...Object.keys(code).map((name) => lambda(name))),
    ...Object.assign({}, ...methods.map(([name, own]) => method(name, methodProperties(own)))),
  };
  return { resources, code };
}

function sharedResources(factApi: FactApi): Resources {
  const { stage, stageVariables, binaryMediaTypes, apiKeySource, apiKey } = factApi;
  const plan = {
    Type: 'AWS::ApiGateway::UsagePlan',
    Properties: { ApiStages: [{ ApiId: { Ref: 'Api' }, Stage: { Ref: 'Stage' } }] },
  };
  return {
    Api: {
      Type: 'AWS::ApiGateway::RestApi',
      Properties: defined({
        Name: 'facts',
        BinaryMediaTypes: binaryMediaTypes,
        ApiKeySourceType: apiKeySource,
      }),
    },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: defined({
        RestApiId: { Ref: 'Api' },
        DeploymentId: { Ref: 'Deployment' },
        StageName: stage,
        Variables: stageVariables,
      }),
    },
    ...(apiKey ? { Plan: plan } : {}),
  };
}

function authorizerResource(authorizer: FactAuthorizer): Resources {
  const Properties = defined({
    Type: 'TOKEN',
    RestApiId: { Ref: 'Api' },
    AuthorizerUri: invocationUri(arnOf(functionName(authorizerCode(authorizer)))),
    IdentitySource: `method.request.header.${authorizer.header}`,
    IdentityValidationExpression: authorizer.validationExpression,
    AuthorizerResultTtlInSeconds: authorizer.resultTtlSeconds,
  });
  return { Auth: { Type: 'AWS::ApiGateway::Authorizer', Properties } };
}

function methodProperties(factMethod: FactMethod): Properties {
  const { mock, function: own, hasAuthorizer, isApiKeyRequired, authorizationType } = factMethod;
  return defined({
    ...(own && proxy(functionName(codeOf(own)))),
    ...(mock && mockProperties(mock)),
    ApiKeyRequired: isApiKeyRequired,
    AuthorizationType: authorizationType ?? (hasAuthorizer ? 'CUSTOM' : 'NONE'),
    AuthorizerId: hasAuthorizer ? { Ref: 'Auth' } : undefined,
  });
}

function mockProperties(mock: FactMock): Properties {
  const names = Object.keys(mock.headers ?? {});
  const { requestParameters, selectionPattern, responseTemplate } = mock;
  return {
    Integration: defined({
      Type: 'MOCK',
      RequestTemplates: { [jsonType]: mock.requestTemplate },
      RequestParameters: requestParameters,
      IntegrationResponses: [
        defined({
          StatusCode: '200',
          SelectionPattern: selectionPattern,
          ResponseParameters: Object.fromEntries(
            names.map((name) => [headerPrefix + name, `'${mock.headers![name]}'`]),
          ),
          ResponseTemplates: responseTemplate === undefined ? {} : { [jsonType]: responseTemplate },
        }),
      ],
    }),
    MethodResponses: [
      {
        StatusCode: '200',
        ResponseParameters: Object.fromEntries(names.map((name) => [headerPrefix + name, true])),
      },
    ],
  };
}

/** Functions are named after their code, so that methods and APIs with the same code share one. */
function functionName(code: string): string {
  return `Function${createHash('sha256').update(code).digest('hex').slice(0, 16)}`;
}

function codeOf(factFunction: FactFunction): string {
  if (factFunction === 'echo') {
    return 'exports.handler = async (event) => ({ statusCode: 200, body: JSON.stringify(event) });';
  }
  if (factFunction === 'returnBody') {
    return `exports.handler = async ({ body, isBase64Encoded }) =>
      JSON.parse(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));`;
  }
  return `const results = ${JSON.stringify(factFunction)};
    exports.handler = async ({ path }) => results[path];`;
}

function authorizerCode({ usageIdentifierKey, failsWith, returns }: FactAuthorizer): string {
  return `const [failsWith, returns] = ${JSON.stringify([failsWith, returns])};
  exports.handler = async ({ authorizationToken, methodArn }) => {
    if (failsWith) throw new Error(failsWith);
    if (returns) return returns;
    const Effect = authorizationToken === 'allow' ? 'Allow' : 'Deny';
    const Statement = [{ Effect, Action: 'execute-api:Invoke', Resource: methodArn }];
    return {
      principalId: 'user',
      policyDocument: { Version: '2012-10-17', Statement },
      context: {},
      usageIdentifierKey: ${JSON.stringify(usageIdentifierKey)},
    };
  };`;
}

function defined(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}
