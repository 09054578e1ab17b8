import { describe, expect, it } from '@jest/globals';
import { rateLimitHeaders } from '../../lambdas/keys/rate-limit-headers.ts';
import { capitalized, stackName, stackTag } from '../../lib/settings/names.ts';
import { planNames, plans } from '../../lib/settings/plans.ts';
import { stageSettings } from '../../lib/settings/stages.ts';
import { deployedMethods } from '../contract/template-api.ts';
import { noRateLimitHeaders } from '../helpers/functions/events.ts';
import { resourcesOfType, stageNames } from '../helpers/synthesized.ts';
import { properties, resources } from './readable.ts';

const invocation = 'arn:${AWS::Partition}:apigateway:eu-central-1:lambda:path';

/** The gateway responses after the authorizer has accepted the key. They state the key's limits. */
const afterAuthorizer = [
  'ACCESS_DENIED',
  'QUOTA_EXCEEDED',
  'INVALID_API_KEY',
  'INTEGRATION_FAILURE',
  'API_CONFIGURATION_ERROR',
  'INTEGRATION_TIMEOUT',
];

/** The rate-limit headers of all other gateway responses. */
const withoutKey = Object.fromEntries(
  Object.entries(noRateLimitHeaders).map(([name, value]) => [name, `'${value}'`]),
);
const ofAuthorizer = Object.fromEntries(
  Object.entries(rateLimitHeaders).map(([name, { variable }]) => [
    name,
    `context.authorizer.${variable}`,
  ]),
);

describe.each(stageNames)('API of %s', (stage) => {
  const { apiKeyPrefix, gradualDeployment, throttle } = stageSettings(stage);
  // For gradual deployments, API Gateway invokes an alias.
  const handler = (name: string) =>
    gradualDeployment ? `\${${name}Live}` : `\${${name}Function.Arn}`;
  const stageId = `ApiRestApiDeploymentStage${stage}`;

  it('is regional, requires current TLS, and takes the usage-plan key from the authorizer', () => {
    expect(properties(stage, 'AWS::ApiGateway::RestApi').ApiRestApi).toMatchObject({
      Name: stackName(stage),
      ApiKeySourceType: 'AUTHORIZER',
      EndpointConfiguration: { Types: ['REGIONAL'] },
      DisableExecuteApiEndpoint: false,
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
  });

  it('R16: refuses a header without a bearer key of this stage before calling the function, and caches nothing', () => {
    expect(properties(stage, 'AWS::ApiGateway::Authorizer').ApiAuthorizer).toMatchObject({
      Type: 'TOKEN',
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression: `^[Bb][Ee][Aa][Rr][Ee][Rr] +${apiKeyPrefix}[0-9A-Za-z]{46}$`,
      AuthorizerResultTtlInSeconds: 0,
      AuthorizerUri: `${invocation}/2015-03-31/functions/${handler('Authorizer')}/invocations`,
    });
  });

  it.each([
    [
      'R8: streams listOrders',
      'storeordersGET',
      {
        ResponseTransferMode: 'STREAM',
        TimeoutInMillis: 305_000,
        Uri: `${invocation}/2021-11-15/functions/${handler('ListOrders')}/response-streaming-invocations`,
      },
    ],
    [
      'waits longer for cancelOrder than it may run',
      'storeordersorderIdDELETE',
      {
        TimeoutInMillis: 15_000,
        Uri: `${invocation}/2015-03-31/functions/${handler('CancelOrder')}/invocations`,
      },
    ],
  ])('%s', (_, id, integration) => {
    const method = properties(stage, 'AWS::ApiGateway::Method')[`ApiRestApiv1${id}`];

    const proxy = { Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' };
    expect(method.Integration).toEqual({ ...proxy, ...integration });
  });

  it('lets only API Gateway invoke the functions, each for its one purpose', () => {
    const permissions = Object.values(properties(stage, 'AWS::Lambda::Permission'));

    const api = 'arn:${AWS::Partition}:execute-api:eu-central-1:123456789012:${ApiRestApi}';
    const purposes = [
      ['Authorizer', `${api}/authorizers/\${ApiAuthorizer}`],
      ...deployedMethods(stage)
        .filter(({ properties: { Integration } }) => Integration.Type === 'AWS_PROXY')
        .map(({ path, method, properties: { OperationName } }) => [
          capitalized(OperationName),
          `${api}/${stage}/${method}${path.replaceAll(/\{\w+\}/g, '*')}`,
        ]),
    ];
    const expected = purposes.map(([name, SourceArn]) => ({
      Action: 'lambda:InvokeFunction',
      Principal: 'apigateway.amazonaws.com',
      FunctionName: handler(name!),
      SourceArn,
    }));
    expect(new Set(permissions)).toEqual(new Set(expected));
  });

  it('serves the latest deployment, with a throttle, and logs errors but no data', () => {
    const { Properties, DependsOn } = resources(stage, 'AWS::ApiGateway::Stage')[stageId]!;

    expect(Properties).toEqual({
      StageName: stage,
      RestApiId: '${ApiRestApi}',
      DeploymentId: '${ApiRestApiDeployment}',
      AccessLogSetting: expect.anything(),
      MethodSettings: [
        {
          ResourcePath: '/*',
          HttpMethod: '*',
          LoggingLevel: 'ERROR',
          DataTraceEnabled: false,
          // Off, because AWS charges for the metrics of each method.
          MetricsEnabled: false,
          ThrottlingRateLimit: throttle.requestsPerSecond,
          ThrottlingBurstLimit: throttle.burst,
        },
      ],
    });
    expect(DependsOn).toEqual([
      expect.stringMatching(/^ApiExecutionLogs/),
      expect.stringMatching(/^ApiRestApiAccount/),
    ]);
  });

  it('is deployed after everything that it serves, and after it may invoke the functions', () => {
    const copied = ['Authorizer', 'Method', 'GatewayResponse', 'Resource'];
    const types = [...copied.map((kind) => `AWS::ApiGateway::${kind}`), 'AWS::Lambda::Permission'];
    const needed = types.flatMap((type) => resourcesOfType(stage, type).map(([id]) => id));

    const { DependsOn } = resources(stage, 'AWS::ApiGateway::Deployment').ApiRestApiDeployment!;

    expect([...DependsOn!].sort()).toEqual(needed.sort());
  });

  it('creates its gateway responses in three chains, because API Gateway limits the rate of such calls', () => {
    const responses = resourcesOfType(stage, 'AWS::ApiGateway::GatewayResponse');

    const previous = responses.flatMap(([, { DependsOn = [] }]) => DependsOn);

    expect(previous).toHaveLength(responses.length - 3);
    expect(new Set(previous).size).toBe(previous.length);
  });

  // Status, body and all headers are compared with the contract by test/contract/.
  it.each(Object.values(properties(stage, 'AWS::ApiGateway::GatewayResponse')))(
    'R4, R22, I14: has the known limits in the gateway response $ResponseType',
    ({ ResponseType, ResponseParameters }) => {
      const limits = afterAuthorizer.includes(ResponseType) ? ofAuthorizer : withoutKey;

      expect(ResponseParameters).toMatchObject(asParameters('gatewayresponse', limits));
    },
  );

  it('logs who sent a request and its result, and nothing that a client chooses, such as the token', () => {
    const { AccessLogSetting } = properties(stage, 'AWS::ApiGateway::Stage')[stageId];

    expect(AccessLogSetting.DestinationArn).toBe(
      'arn:${AWS::Partition}:logs:eu-central-1:123456789012:log-group:${ApiAccessLogs}',
    );
    const values = Object.values<string>(JSON.parse(AccessLogSetting.Format));
    const ofAws =
      /^\$context\.(requestTimeEpoch|stage|extendedRequestId|identity\.sourceIp|httpMethod|resourcePath|status|error\.responseType|response(Length|Latency)|integration\w*(\.\w+)?|authorizer\.(ownerId|keyId|plan|latency|status|requestId))$/;
    expect(values.filter((value) => !ofAws.test(value))).toEqual([]);
    expect(values).toEqual(
      expect.arrayContaining(['$context.authorizer.keyId', '$context.status']),
    );
  });

  it("has a usage plan for each plan, above its limits and within the account's", () => {
    // https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
    const account = { BurstLimit: 5_000, RateLimit: 10_000 };
    const expected = planNames.map((name) => {
      const { perMinute, perDay } = plans[name];
      // The burst is that of two minutes, because the limiter can admit the requests of two minutes around the end of a
      // minute.
      const own = { BurstLimit: 2 * 2 * perMinute, RateLimit: (2 * perMinute) / 60 };
      return [
        `UsagePlans${capitalized(name)}`,
        {
          ApiStages: [{ ApiId: '${ApiRestApi}', Stage: `\${${stageId}}`, Throttle: {} }],
          Description: `Plan ${name}: ${perMinute} requests a minute, ${perDay} a day`,
          Quota: { Limit: 3 * perDay, Period: 'DAY' },
          Throttle: own.BurstLimit <= account.BurstLimit ? own : account,
          UsagePlanName: `${stackName(stage)}-${name}`,
          // docs/iam/operator-policy.json distinguishes the stages by this tag.
          Tags: [{ Key: stackTag, Value: stackName(stage) }],
        },
      ];
    });

    expect(properties(stage, 'AWS::ApiGateway::UsagePlan')).toEqual(Object.fromEntries(expected));
    // Each usage plan depends on the plan before it, so that CloudFormation creates and deletes them one by one.
    const after = resourcesOfType(stage, 'AWS::ApiGateway::UsagePlan').map(
      ([, { DependsOn = [] }]) => DependsOn.length,
    );
    expect(after.toSorted()).toEqual([0, ...planNames.slice(1).map(() => 1)]);
  });
});

/** JSON, and the content types that a browser's `fetch` can send without a preflight. */
const requestTypes = [
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
];

describe.each(stageNames)('paths and methods that %s does not have', (stage) => {
  const methods = deployedMethods(stage);
  const unknown = methods.filter(({ method }) => method === 'ANY');

  it('have a route on every resource with operations, on the root, and below it', () => {
    const operations = methods.flatMap(({ path, method }) => (method === 'ANY' ? [] : [path]));

    const caught = unknown.map(({ path }) => path);

    expect(caught.sort()).toEqual([...new Set(operations), '', '/{proxy+}'].sort());
  });

  it.each(unknown)(
    'I10: are refused without an authorizer, for every common content type: $path',
    ({ path, properties: { Integration, AuthorizationType, ApiKeyRequired } }) => {
      const [answer] = Integration.IntegrationResponses;
      const operations = methods.filter((one) => one.path === path && one.method !== 'ANY');
      const Allow = operations.map(({ method }) => method).join(', ');
      const [status, code] = Allow ? [405, 'method_not_allowed'] : [404, 'not_found'];

      expect([AuthorizationType, ApiKeyRequired]).toEqual(['NONE', false]);
      expect(Integration.RequestTemplates).toEqual(
        Object.fromEntries(requestTypes.map((type) => [type, `{"statusCode":${status}}`])),
      );
      expect(answer.StatusCode).toBe(String(status));
      expect(answer.ResponseParameters).toEqual(
        asParameters('method.response', { ...withoutKey, ...(Allow && { Allow: `'${Allow}'` }) }),
      );
      expect(JSON.parse(answer.ResponseTemplates['application/json'])).toMatchObject({
        status,
        code,
      });
    },
  );
});

function asParameters(prefix: string, headers: Readonly<Record<string, string>>) {
  const entries = Object.entries({ 'Cache-Control': "'no-store'", ...headers });
  return Object.fromEntries(entries.map(([name, value]) => [`${prefix}.header.${name}`, value]));
}
