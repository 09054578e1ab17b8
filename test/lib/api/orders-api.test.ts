import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { deployedOperations } from '../../contract/template-api.ts';
import { stageNames, template } from '../../helpers/synthesized.ts';
import { properties, resources } from '../readable.ts';

const secured = {
  RestApiId: '${ApiRestApi}',
  AuthorizationType: 'CUSTOM',
  AuthorizerId: '${ApiAuthorizer}',
  ApiKeyRequired: true,
};
const invocation = 'arn:${AWS::Partition}:apigateway:${AWS::Region}:lambda:path';

describe.each(stageNames)('API of %s', (stage) => {
  const { apiKeyPrefix, gradualDeployment, throttle } = stageSettings(stage);
  // A gradual deployment moves an alias, which is what API Gateway then invokes.
  const handler = (name: string) =>
    gradualDeployment ? `\${${name}Live}` : `\${${name}Function.Arn}`;
  const stageId = `ApiRestApiDeploymentStage${stage}`;

  it('is regional and takes the usage-plan key from the authorizer', () => {
    expect(properties(stage, 'AWS::ApiGateway::RestApi')).toEqual({
      ApiRestApi: {
        Name: `store-orders-${stage}`,
        Description: 'Store orders: list all orders, cancel one',
        ApiKeySourceType: 'AUTHORIZER',
        EndpointConfiguration: { Types: ['REGIONAL'] },
        DisableExecuteApiEndpoint: false,
        SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
        EndpointAccessMode: 'STRICT',
      },
    });
  });

  it('R16: refuses what is no bearer key of this stage before the function', () => {
    expect(properties(stage, 'AWS::ApiGateway::Authorizer')).toEqual({
      ApiAuthorizer: {
        Name: 'api-key',
        Type: 'TOKEN',
        RestApiId: '${ApiRestApi}',
        IdentitySource: 'method.request.header.Authorization',
        IdentityValidationExpression: `^[Bb][Ee][Aa][Rr][Ee][Rr] ${apiKeyPrefix}[0-9A-Za-z]{46}$`,
        AuthorizerResultTtlInSeconds: 0,
        AuthorizerUri: `${invocation}/2015-03-31/functions/${handler('Authorizer')}/invocations`,
      },
    });
  });

  it('R17: requires the key for every operation', () => {
    const operations = Object.values(properties(stage, 'AWS::ApiGateway::Method')).filter(
      ({ OperationName }) => OperationName,
    );

    expect(operations).not.toEqual([]);
    for (const operation of operations) expect(operation).toMatchObject(secured);
  });

  it('R8: streams listOrders, for as long as Lambda can stream', () => {
    expect(properties(stage, 'AWS::ApiGateway::Method').ApiRestApiv1storeordersGET).toEqual({
      ...secured,
      ResourceId: '${ApiRestApiv1storeorders}',
      HttpMethod: 'GET',
      OperationName: 'listOrders',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        ResponseTransferMode: 'STREAM',
        TimeoutInMillis: 115_000,
        Uri: `${invocation}/2021-11-15/functions/${handler('ListOrders')}/response-streaming-invocations`,
      },
    });
  });

  it('R13: gives cancelOrder ten seconds', () => {
    const method = properties(
      stage,
      'AWS::ApiGateway::Method',
    ).ApiRestApiv1storeordersorderIdDELETE;

    expect(method).toEqual({
      ...secured,
      ResourceId: '${ApiRestApiv1storeordersorderId}',
      HttpMethod: 'DELETE',
      OperationName: 'cancelOrder',
      Integration: {
        Type: 'AWS_PROXY',
        IntegrationHttpMethod: 'POST',
        TimeoutInMillis: 10_000,
        Uri: `${invocation}/2015-03-31/functions/${handler('CancelOrder')}/invocations`,
      },
    });
  });

  it('lets API Gateway invoke each function for its one purpose, and nobody else', () => {
    const permission = (name: string, source: string) => ({
      Action: 'lambda:InvokeFunction',
      Principal: 'apigateway.amazonaws.com',
      FunctionName: handler(name),
      SourceArn: `arn:\${AWS::Partition}:execute-api:\${AWS::Region}:\${AWS::AccountId}:\${ApiRestApi}/${source}`,
    });

    const permissions = Object.values(properties(stage, 'AWS::Lambda::Permission'));

    const ofOperations = deployedOperations(stage)
      .filter(({ properties: { Integration } }) => Integration.Type === 'AWS_PROXY')
      .map(({ path, method, properties: { OperationName } }) =>
        permission(
          capitalized(OperationName),
          `\${${stageId}}/${method}${path.replaceAll(/\{\w+\}/g, '*')}`,
        ),
      );
    expect(new Set(permissions)).toEqual(
      new Set([permission('Authorizer', 'authorizers/${ApiAuthorizer}'), ...ofOperations]),
    );
  });

  it('serves the latest deployment as its stage, throttled, with errors logged but no data', () => {
    const { Properties, DependsOn } = resources(stage, 'AWS::ApiGateway::Stage')[stageId]!;

    expect(Properties).toMatchObject({
      StageName: stage,
      RestApiId: '${ApiRestApi}',
      DeploymentId: '${ApiRestApiDeployment}',
      MethodSettings: [
        {
          ResourcePath: '/*',
          HttpMethod: '*',
          LoggingLevel: 'ERROR',
          DataTraceEnabled: false,
          MetricsEnabled: true,
          ThrottlingRateLimit: throttle.requestsPerSecond,
          ThrottlingBurstLimit: throttle.burst,
        },
      ],
    });
    expect(DependsOn).toEqual([
      expect.stringMatching(/^ApiAccessLogsApiGatewayAccount/),
      expect.stringMatching(/^ApiExecutionLogs/),
    ]);
  });

  it('deploys only when everything that it serves is there', () => {
    const parts = ['Authorizer', 'Method', 'GatewayResponse', 'Resource'].map(
      (kind) => `AWS::ApiGateway::${kind}`,
    );
    const needed = Object.entries(template(stage).Resources)
      .filter(([, { Type }]) => parts.includes(Type))
      .map(([id]) => id);

    const deployment = resources(stage, 'AWS::ApiGateway::Deployment').ApiRestApiDeployment!;

    expect(deployment.Properties.RestApiId).toBe('${ApiRestApi}');
    expect([...deployment.DependsOn!].sort()).toEqual(needed.sort());
  });
});
