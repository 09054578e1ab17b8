import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AwsSolutionsChecks } from 'cdk-nag';
import { everyResponseHeaders } from '../../lambdas/http/headers.ts';
import { synthesize } from '../../lib/app.ts';
import { operationNames } from '../../lib/settings/functions.ts';
import { stackName } from '../../lib/settings/names.ts';
import { contractDocument, operations } from '../contract/contract.ts';
import { noRateLimitHeaders } from '../helpers/functions/events.ts';
import { configurationForTests, everySetting } from '../helpers/stage-for-tests.ts';
import {
  assemblyDirectory,
  type StageName,
  type Template,
  template,
} from '../helpers/synthesized.ts';
import { readable } from './readable.ts';

// Off, because test/bin/app.command.test.ts validates the templates.
process.env.CDK_VALIDATION = 'false';

const { corsOrigin: origin } = everySetting;
const domain = { ...everySetting.domain, isDefaultEndpointClosed: false };
const app = await synthesize(
  [
    { ...configurationForTests('prod'), ...everySetting },
    { ...configurationForTests('staging'), domain },
    configurationForTests('try-ana'),
  ],
  mkdtempSync(join(assemblyDirectory(), 'variants-')),
);
const complete = templateOf('prod');

describe('a stack with every setting', () => {
  it('I30: serves its domain, requires current TLS, and has no second address', () => {
    expect(complete.Outputs.BaseUrl).toEqual({ Value: 'https://api.example.com/v1' });
    expect(one('AWS::ApiGateway::DomainName')).toEqual({
      DomainName: 'api.example.com',
      RegionalCertificateArn: everySetting.domain.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    expect(one('AWS::ApiGateway::BasePathMapping')).toEqual({
      DomainName: '${ApiRestApiDomain}',
      RestApiId: '${ApiRestApi}',
      Stage: '${ApiRestApiDeploymentStageprod}',
    });
    expect(one('AWS::ApiGateway::RestApi').DisableExecuteApiEndpoint).toBe(true);
    expect(readable(complete.Outputs)).toMatchObject({
      DomainNameTarget: { Value: '${ApiRestApiDomain.RegionalDomainName}' },
      DomainNameTargetZoneId: { Value: '${ApiRestApiDomain.RegionalHostedZoneId}' },
    });
  });

  it('keeps the default address open beside the domain until a setting closes it', () => {
    expect(one('AWS::ApiGateway::RestApi', 'staging').DisableExecuteApiEndpoint).toBe(false);
    expect(warningsOf('staging')).toHaveLength(1);
  });

  it('R24: blocks an IP address above the rate, with a 429 like all others', () => {
    const { Scope, DefaultAction, Rules, CustomResponseBodies } = one('AWS::WAFv2::WebACL');

    expect({ Scope, DefaultAction }).toEqual({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    const [{ Statement, Action, VisibilityConfig }, ...others] = Rules;
    expect(others).toEqual([]);
    // Sampling is off, because a sampled request would show its key.
    expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    expect(Statement.RateBasedStatement).toEqual({
      AggregateKeyType: 'IP',
      EvaluationWindowSec: 300,
      Limit: 400_000,
    });
    const { ResponseCode, ResponseHeaders, CustomResponseBodyKey } = Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    const headers = ResponseHeaders.map(({ Name, Value }: Record<string, string>) => [Name, Value]);
    expect(Object.fromEntries(headers)).toEqual({
      'Retry-After': '300',
      ...noRateLimitHeaders,
      ...everyResponseHeaders(origin),
    });
    const { ContentType, Content } = CustomResponseBodies[CustomResponseBodyKey];
    expect(ContentType).toBe('APPLICATION_JSON');
    const { examples } =
      contractDocument.components.responses.TooManyRequests.content['application/json'];
    expect(JSON.parse(Content)).toEqual(examples.address_blocked.value);
    expect(one('AWS::WAFv2::WebACLAssociation')).toEqual({
      ResourceArn:
        'arn:${AWS::Partition}:apigateway:eusc-de-east-1::/restapis/${ApiRestApi}/stages/${ApiRestApiDeploymentStageprod}',
      WebACLArn: '${FirewallWebAcl.Arn}',
    });
  });

  it('uses restored tables instead of creating its own', () => {
    expect(all('AWS::DynamoDB::Table')).toEqual([]);
    expect(complete.Outputs).toMatchObject({
      OrdersTableName: { Value: 'orders-2' },
      ApiKeysTableName: { Value: 'keys-2' },
      OwnersTableName: { Value: 'owners-2' },
    });
    expect(complete.Outputs).not.toHaveProperty('OrdersStreamArn');
  });

  it('sends alarms to its address', () => {
    expect(one('AWS::SNS::Subscription')).toEqual({
      Protocol: 'email',
      Endpoint: everySetting.alarmEmail,
      TopicArn: '${MonitoringAlarmTopic}',
    });
  });

  it('in an emergency moves all traffic at once and ignores all alarms', () => {
    const groups = all('AWS::CodeDeploy::DeploymentGroup');

    expect(groups).not.toEqual([]);
    for (const group of groups) {
      expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
      expect(group.AlarmConfiguration).toMatchObject({ Enabled: false });
      expect(group.AutoRollbackConfiguration.Events).not.toContain('DEPLOYMENT_STOP_ON_ALARM');
    }
  });
});

describe('a stack that allows an origin', () => {
  const readableByScripts = everyResponseHeaders(origin);
  const methods = all('AWS::ApiGateway::Method');

  it.each([
    ['gateway responses', 'gatewayresponse', all('AWS::ApiGateway::GatewayResponse')],
    [
      'fixed responses',
      'method.response',
      methods.flatMap(({ Integration }) => Integration.IntegrationResponses ?? []),
    ],
  ])('names it, and the headers that scripts may read, in all %s', (_, prefix, answers) => {
    const expected = Object.entries(readableByScripts).map(([name, value]) => [
      `${prefix}.header.${name}`,
      `'${value}'`,
    ]);

    expect(answers).not.toEqual([]);
    for (const { ResponseParameters } of answers) {
      expect(ResponseParameters).toMatchObject(Object.fromEntries(expected));
    }
  });

  it('passes it to every function that responds to requests', () => {
    const origins = all('AWS::Lambda::Function').map(
      ({ Environment }) => Environment.Variables.CORS_ORIGIN,
    );

    const ofAuthorizer = undefined;
    expect(origins).toEqual([ofAuthorizer, ...operationNames.map(() => origin)]);
  });

  it('I11: answers preflight requests to every route with 204, without a key', () => {
    const routes = new Set(methods.map(({ ResourceId }) => JSON.stringify(ResourceId)));

    const preflights = methods.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');

    const header = (name: string) => `method.response.header.${name}`;
    for (const { Integration, AuthorizationType, ApiKeyRequired } of preflights) {
      const [answer] = Integration.IntegrationResponses;
      expect([AuthorizationType, ApiKeyRequired]).toEqual(['NONE', false]);
      expect([answer.StatusCode, answer.ResponseTemplates]).toEqual(['204', undefined]);
      expect(answer.ResponseParameters).toMatchObject({
        [header('Access-Control-Allow-Methods')]: "'*'",
        [header('Access-Control-Allow-Headers')]: "'Authorization, *'",
        [header('Access-Control-Max-Age')]: "'7200'",
        [header('X-RateLimit-Limit')]: "'0'",
      });
    }
    expect(preflights).toHaveLength(routes.size);
  });

  it('I10: names OPTIONS in Allow besides the operations of a path', () => {
    const name = 'method.response.header.Allow';
    const allowed: string[] = methods
      .filter(({ HttpMethod }) => HttpMethod === 'ANY')
      .flatMap(
        ({ Integration }) => Integration.IntegrationResponses[0].ResponseParameters[name] ?? [],
      );

    const paths = Map.groupBy(operations, ({ path }) => path).values();
    const documented = [...paths].map((those) => those.map(({ method }) => method).join(', '));
    expect(allowed.toSorted()).toEqual(documented.map((those) => `'${those}, OPTIONS'`).toSorted());
  });
});

it('a deployment that replaces a table gives each function its new permission before its new code, and deletes its former permission last', () => {
  // CloudFormation updates everything else before it deletes a resource that is no longer in the template.
  const policiesOf = ({ Resources }: Template) =>
    Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::IAM::Policy');
  const before = policiesOf(template('prod'));
  const after = policiesOf(complete);

  const ids = after.map(([id]) => id);
  const needed = Object.values(complete.Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .flatMap(({ DependsOn = [] }) => DependsOn);
  const names = [...before, ...after].map(([, { Properties }]) => Properties.PolicyName);

  expect(before.filter(([id]) => ids.includes(id))).toEqual([]);
  expect(needed).toEqual(expect.arrayContaining(ids));
  expect(new Set(names).size).toBe(names.length);
});

it('a trial is synthesized beside the other stages, and its deletion leaves only the role for logs', () => {
  const { Resources } = templateOf('try-ana');

  const remaining = Object.values(Resources).filter(
    ({ DeletionPolicy }) => DeletionPolicy === 'Retain',
  );
  expect(remaining.map(({ Type }) => Type).sort()).toEqual([
    'AWS::ApiGateway::Account',
    'AWS::IAM::Role',
  ]);
});

/** The findings of cdk-nag that are accepted, each a rule and its constructs, and the reasons. */
const acceptedFindings: readonly (readonly [finding: RegExp, reason: string])[] = [
  [/APIG2\b.*RestApi\/Resource$/, 'The handlers validate what they read.'],
  [/APIG3\b.*DeploymentStage/, 'Every request needs a key; stages.ts can turn a web ACL on.'],
  [/APIG4\b.*\/(ANY|OPTIONS)\/Resource$/, 'Only answers to what does not exist, and preflights.'],
  [/COG4\b.*RestApi\/Default\//, 'Clients are programs with API keys, and no users.'],
  [/DDB3\b.*-staging\/Tables\//, 'The data of this stage is disposable.'],
  [/IAM4\b.*RestApi\/CloudWatchRole\//, 'API Gateway accepts no other policy.'],
  [/IAM4\b.*Deployment\/Role\//, "AWS maintains this policy for CodeDeploy's role."],
];

it.each(['staging', 'prod'] as const)(
  'cdk-nag, AwsSolutions has no finding without a written reason: %s',
  (stage) => {
    const stack = stackOf(stage);
    const { violations } = new AwsSolutionsChecks(stack).validateScope(stack);

    const found = violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
    const isAccepted = (found: string) => acceptedFindings.some(([finding]) => finding.test(found));
    expect(found.filter((each) => !isAccepted(each))).toEqual([]);
    expect(found).not.toEqual([]);
  },
);

function stackOf(stage: StageName) {
  return app.node.findChild(stackName(stage));
}

function templateOf(stage: StageName): Template {
  return app.synth().getStackByName(stackName(stage)).template;
}

// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of hundreds of shapes
function all(type: string, stage: StageName = 'prod'): any[] {
  const found = Object.values(templateOf(stage).Resources).filter(({ Type }) => Type === type);
  return found.map(({ Properties }) => readable(Properties));
}

function one(type: string, stage?: StageName) {
  const [properties, ...more] = all(type, stage);
  expect(more).toEqual([]);
  return properties;
}

/** The warnings that synthesis prints. */
function warningsOf(stage: StageName): unknown[] {
  const constructs = stackOf(stage).node.findAll();
  const metadata = constructs.flatMap(({ node }) => node.metadata);
  return metadata.filter(({ type }) => type === 'aws:cdk:warning');
}
