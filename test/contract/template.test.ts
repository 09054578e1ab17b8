import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { charactersAfterPrefix } from '../../lambdas/keys/api-key.ts';
import { plans } from '../../lib/settings/plans.ts';
import { stageSettings } from '../../lib/settings/stages.ts';
import { expectAgreement } from '../helpers/agreement.ts';
import { requestContext } from '../helpers/functions/events.ts';
import { resourcesOfType, stageNames } from '../helpers/synthesized.ts';
import { contractDifferences, contractDocument, operationOf, operations } from './contract.ts';
import { deployedMethods, renderAnswer } from './template-api.ts';

const int64 = { type: 'integer', format: 'int64' };

/** The context of an authorizer that has recognized a key. */
const authorizer = {
  ...requestContext().authorizer,
  retryAfter: '27',
  code: 'rate_limit_exceeded',
  message: 'The limit of 60 requests per minute is used up. Retry after 27 seconds.',
};

describe('the contract', () => {
  it('R7, I9: has listOrders at GET /store/orders, without a parameter or a body', () => {
    const operation = operationOf('listOrders');

    expect(operation).toMatchObject({ method: 'GET', path: '/store/orders' });
    expect(operation).not.toHaveProperty('parameters');
    expect(operation).not.toHaveProperty('requestBody');
  });

  it('R12, I9: has cancelOrder at DELETE /store/orders/{orderId}, an int64, without a body', () => {
    const operation = operationOf('cancelOrder');

    expect(operation).toMatchObject({
      method: 'DELETE',
      path: '/store/orders/{orderId}',
      parameters: [{ name: 'orderId', in: 'path', required: true }],
    });
    expect((operation.parameters as { schema: object }[])[0]!.schema).toEqual(int64);
    expect(operation).not.toHaveProperty('requestBody');
  });

  it('describes the form of the keys', () => {
    const prefixes = stageNames.map((stage) => `${stageSettings(stage).apiKeyPrefix}…`).sort();

    expect(contractDocument.components.securitySchemes.apiKey.bearerFormat).toBe(
      `${prefixes.join(' or ')} and ${charactersAfterPrefix} base62 characters`,
    );
  });

  it('states the limits of lib/settings/plans.ts', () => {
    const expected = Object.entries(plans).map(([plan, { perMinute, perDay, limitsPerOwner }]) => ({
      plan,
      requestsPerMinute: limitsPerOwner ? 'custom' : perMinute,
      requestsPerDay: limitsPerOwner ? 'custom' : perDay,
    }));

    expect(contractDocument['x-rate-limit-plans']).toEqual(expected);
  });

  it.each([
    ['package.json', /"version": "(.+)"/],
    ['CHANGELOG.md', /^## \[([\d.]+)\]/m],
    ['docs/requirements.md', /version of the interface is ([\d.]+\d)/],
  ])('R27: has the version that is in %s', (file, pattern) => {
    const [, stated = ''] = pattern.exec(readFileSync(file, 'utf8')) ?? [];

    expectAgreement(
      ['openapi.yaml, info.version', [contractDocument.info.version]],
      [file, [stated]],
    );
  });

  it('has no anchor and no alias, which some generators refuse', () => {
    expect(readFileSync('openapi.yaml', 'utf8')).not.toMatch(/[-:,[] ?[&*]\w/);
  });

  it('promises every header, except the headers that depend on the request or on AWS', () => {
    const headers = Object.entries<{ required?: boolean }>(contractDocument.components.headers);

    const optional = headers.filter(([, { required }]) => !required).map(([name]) => name);

    expect(optional).toEqual(['x-amzn-Remapped-WWW-Authenticate', 'x-amz-apigw-id']);
  });

  it('R29, I28: promises that every operation is stable, unless it is deprecated', () => {
    const deprecated = operations.filter((operation) => operation.deprecated);
    const others = operations.filter((operation) => !operation.deprecated);

    expect(deprecated.map(({ operationId }) => operationId)).toEqual(['getPet']);
    expect(others.map((operation) => operation['x-stability'])).toEqual(others.map(() => 'stable'));
  });

  it('gives every operation the responses that API Gateway can give to any request', () => {
    const types = [
      'UNAUTHORIZED',
      'ACCESS_DENIED',
      'AUTHORIZER_FAILURE',
      'WAF_FILTERED',
      'INTEGRATION_FAILURE',
      'INTEGRATION_TIMEOUT',
    ];
    for (const { path, method } of operations) {
      const { responses } = contractDocument.paths[path][method.toLowerCase()];
      for (const type of types) {
        expect(responses).toMatchObject(contractDocument['x-gateway-responses'][type]);
      }
    }
  });
});

describe.each(stageNames)('the contract and the template of %s', (stage) => {
  const gatewayResponses = resourcesOfType(stage, 'AWS::ApiGateway::GatewayResponse').map(
    ([, { Properties }]) => Properties,
  );
  const deployedOperations = deployedMethods(stage).filter(({ method }) => method !== 'ANY');

  it('have the same paths and methods', () => {
    const documented = operations.map(({ path, method }) => `${method} /v1${path}`);

    const deployed = deployedOperations.map(({ path, method }) => `${method} ${path}`);

    expectAgreement(['lib/api', deployed], ['openapi.yaml, paths', documented]);
  });

  it('have a server address with the stage', () => {
    const [[, deployedStage] = []] = resourcesOfType(stage, 'AWS::ApiGateway::Stage');

    expect(deployedStage?.Properties.StageName).toBe(stage);
    expect(contractDocument.servers).toContainEqual(
      expect.objectContaining({
        description: stage,
        url: expect.stringMatching(`^https://.*/${stage}/v1$`),
      }),
    );
  });

  it("have the name of an operation's function as its operation id", () => {
    for (const { path, method, properties } of deployedOperations) {
      const { operationId, deprecated } = operations.find(
        (one) => `/v1${one.path}` === path && one.method === method,
      )!;
      expect(`${method} ${path}: ${operationId}`).toBe(
        `${method} ${path}: ${properties.OperationName}`,
      );
      const target = JSON.stringify(properties.Integration.Uri ?? null).toLowerCase();
      expect(properties.Integration.Type).toBe(deprecated ? 'MOCK' : 'AWS_PROXY');
      if (!deprecated) expect(target).toContain(`"${operationId.toLowerCase()}`);
    }
  });

  it('R17: require the key on every operation', () => {
    const authorizers = resourcesOfType(stage, 'AWS::ApiGateway::Authorizer');

    expect(contractDocument.security).toEqual([{ apiKey: [] }]);
    const { apiKey } = contractDocument.components.securitySchemes;
    expect(apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
    expect(authorizers).toHaveLength(1);
    for (const operation of operations) expect(operation).not.toHaveProperty('security');
    for (const { properties } of deployedOperations) {
      expect(properties).toMatchObject({
        AuthorizationType: 'CUSTOM',
        AuthorizerId: { Ref: authorizers[0]![0] },
        ApiKeyRequired: true,
      });
    }
  });

  it('R28: state the same dates of deprecation and sunset', () => {
    const deprecated = operations.filter((operation) => operation.deprecated);
    const [operation] = deprecated;
    const { properties } = deployedOperations.find(({ path }) => path === `/v1${operation!.path}`)!;
    const [gone, ...others] = properties.Integration.IntegrationResponses;

    const answer = renderAnswer(gone, authorizer);
    const header = (name: string) => answer.headers.get(name)?.join();

    expect([deprecated.length, others]).toEqual([1, []]);
    expect(contractDifferences(operation!.operationId, answer)).toEqual([]);
    const sunset = new Date(String(operation!['x-sunset']));
    expect(header('sunset')).toBe(sunset.toUTCString());
    expect(header('sunset')).toBe(contractDocument.components.headers.Sunset.example);
    expect(header('deprecation')).toBe(contractDocument.components.headers.Deprecation.example);
    expect(header('x-ratelimit-limit')).toBe(authorizer.limit);
  });

  it('have the same gateway responses', () => {
    const deployed = gatewayResponses.map(
      ({ ResponseType, StatusCode }) => `${ResponseType} ${StatusCode}`,
    );

    const documented = Object.entries<object>(contractDocument['x-gateway-responses']).map(
      ([type, statuses]) => `${type} ${Object.keys(statuses)}`,
    );

    expectAgreement(
      ['lib/api/gateway-responses.ts', deployed],
      ['openapi.yaml, x-gateway-responses', documented],
    );
  });

  it.each(gatewayResponses)(
    'agree on status, headers and body of the gateway response $ResponseType',
    (response) => {
      const answer = renderAnswer(response, authorizer);

      expect(contractDifferences(response.ResponseType, answer)).toEqual([]);
    },
  );
});
