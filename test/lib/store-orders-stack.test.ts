import { describe, expect, it } from '@jest/globals';
import { capitalized } from '../../lib/settings/names.ts';
import { planNames } from '../../lib/settings/plans.ts';
import { variableName } from '../../lib/settings/stage-variables.ts';
import { stageNames, type Template, template } from '../helpers/synthesized.ts';
import { readable } from './readable.ts';
import { createStack, templateOf } from './stack-factory.ts';
import { warningsOf } from './warnings.ts';

const apiGatewayUrl = 'https://${ApiRestApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}';

describe.each(stageNames)('stack of %s', (stage) => {
  it('R27, I30: states its base address, which ends with /v1, and what operators need', () => {
    const { Outputs } = template(stage);

    const usagePlans = planNames
      .map(capitalized)
      .map((name) => [`UsagePlanId${name}`, { Value: `\${UsagePlans${name}}` }]);
    expect(readable(Outputs)).toEqual({
      BaseUrl: { Value: `${apiGatewayUrl}/\${ApiRestApiDeploymentStage${stage}}/v1` },
      RestApiId: { Value: '${ApiRestApi}' },
      OrdersTableName: { Value: '${TablesOrders}' },
      ApiKeysTableName: { Value: '${TablesApiKeys}' },
      OwnersTableName: { Value: '${TablesOwners}' },
      ...Object.fromEntries(usagePlans),
    });
  });

  it('is resources and outputs: no parameter, condition, rule or mapping to get wrong', () => {
    expect(Object.keys(template(stage)).sort()).toEqual(['Description', 'Outputs', 'Resources']);
  });

  it('needs nothing that runs code at deployment', () => {
    const types = Object.values(template(stage).Resources).map(({ Type }) => Type);

    expect(types.filter((type) => /CustomResource|^Custom::/.test(type))).toEqual([]);
  });

  it('contains no key, no account and no address', () => {
    const text = JSON.stringify(template(stage));

    expect(text).not.toMatch(/so_(live|test)_[0-9A-Za-z]{46}/);
    expect(text).not.toMatch(/\b\d{12}\b/);
    expect(text).not.toMatch(/[\w.+-]+@[\w-]+\.[\w.]+/);
    expect(text).not.toMatch(/A(KI|SI)A[0-9A-Z]{16}/);
  });
});

/** Every setting of prod that does nothing to what the others do. */
const settings = {
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b-2c3d',
  firewall: { requestsPerIpPer5Minutes: 400_000 },
  alarmEmail: 'alarms@example.com',
  runbookUrl: 'https://example.com/store-orders/blob/main/docs/runbook.md',
  lambdaConcurrency: '1001',
  emergencyDeployment: 'true',
};
const completeStack = createStack('prod', settings);
const complete = templateOf(completeStack);

describe('stack with every optional setting', () => {
  it('is synthesized without a warning, and one with none of them with a warning of each', () => {
    const named = ['runbookUrl', 'alarmEmail', 'lambdaConcurrency'] as const;

    const warnings = warningsOf(createStack('prod')).join('\n');

    expect(warningsOf(completeStack)).toEqual([]);
    for (const field of named) expect(warnings).toContain(variableName('prod', field));
  });
});

describe('stack with a custom domain', () => {
  it('I30: states the address with the domain', () => {
    expect(complete.Outputs.BaseUrl).toEqual({ Value: 'https://api.example.com/v1' });
  });

  it('serves the stage at the root of the domain, with a current TLS', () => {
    expect(one(complete, 'AWS::ApiGateway::DomainName')).toEqual({
      DomainName: 'api.example.com',
      RegionalCertificateArn: settings.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    expect(one(complete, 'AWS::ApiGateway::BasePathMapping')).toEqual({
      DomainName: '${ApiRestApiDomain}',
      RestApiId: '${ApiRestApi}',
      Stage: '${ApiRestApiDeploymentStageprod}',
    });
  });

  it('closes the address that API Gateway gave it', () => {
    expect(one(complete, 'AWS::ApiGateway::RestApi')).toMatchObject({
      DisableExecuteApiEndpoint: true,
    });
  });

  it('says what the DNS record must point at', () => {
    expect(readable(complete.Outputs)).toMatchObject({
      DomainNameTarget: { Value: '${ApiRestApiDomain.RegionalDomainName}' },
      DomainNameTargetZoneId: { Value: '${ApiRestApiDomain.RegionalHostedZoneId}' },
    });
  });
});

describe('stack with a firewall', () => {
  it('R24: blocks an address above the rate with a 429 like every other', () => {
    const acl = one(complete, 'AWS::WAFv2::WebACL');

    expect(acl).toMatchObject({
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Priority: 0,
          Statement: {
            RateBasedStatement: {
              AggregateKeyType: 'IP',
              EvaluationWindowSec: 300,
              Limit: 400_000,
            },
          },
          Action: {
            Block: {
              CustomResponse: {
                ResponseCode: 429,
                CustomResponseBodyKey: 'tooManyRequests',
                ResponseHeaders: [
                  { Name: 'Retry-After', Value: '300' },
                  { Name: 'X-RateLimit-Limit', Value: '0' },
                  { Name: 'X-RateLimit-Remaining', Value: '0' },
                  { Name: 'X-RateLimit-Reset', Value: '0' },
                  { Name: 'RateLimit-Policy', Value: '"minute";q=0;w=60, "day";q=0;w=86400' },
                  { Name: 'RateLimit', Value: '"minute";r=0;t=0, "day";r=0;t=0' },
                ],
              },
            },
          },
        },
      ],
    });
    expect(acl.CustomResponseBodies.tooManyRequests.ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(acl.CustomResponseBodies.tooManyRequests.Content)).toEqual({
      code: 'rate_limit_exceeded',
      message: 'Too many requests from this address. Retry after 300 seconds.',
      status: 429,
    });
  });

  it('stands in front of the stage', () => {
    expect(one(complete, 'AWS::WAFv2::WebACLAssociation')).toEqual({
      ResourceArn:
        'arn:${AWS::Partition}:apigateway:${AWS::Region}::/restapis/${ApiRestApi}/stages/${ApiRestApiDeploymentStageprod}',
      WebACLArn: '${FirewallWebAcl.Arn}',
    });
  });

  it('is not there unless it is configured', () => {
    expect(all(template('prod'), 'AWS::WAFv2::WebACL')).toEqual([]);
  });
});

describe('stack with an alarm address', () => {
  const topic = '${MonitoringAlarmTopic}';

  it('tells it of every alarm, and of its end', () => {
    for (const alarm of all(complete, 'AWS::CloudWatch::Alarm')) {
      expect(alarm).toMatchObject({ AlarmActions: [topic], OKActions: [topic] });
    }
    expect(one(complete, 'AWS::SNS::Subscription')).toEqual({
      Protocol: 'email',
      Endpoint: 'alarms@example.com',
      TopicArn: topic,
    });
  });

  it('lets only the alarms of its own account publish, and only encrypted', () => {
    expect(one(complete, 'AWS::SNS::TopicPolicy').PolicyDocument.Statement).toEqual([
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sns:Publish',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
      {
        Sid: '1',
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Resource: topic,
        Condition: { StringEquals: { 'aws:SourceAccount': '${AWS::AccountId}' } },
      },
    ]);
  });
});

describe('stack with an address of the runbook', () => {
  it('gives every alarm the full address of its section', () => {
    const descriptions = all(complete, 'AWS::CloudWatch::Alarm').map(
      ({ AlarmDescription }) => AlarmDescription,
    );

    expect(descriptions).not.toEqual([]);
    for (const description of descriptions) {
      expect(description).toMatch(
        / Runbook: https:\/\/example\.com\/store-orders\/blob\/main\/docs\/runbook\.md#[a-z-]+$/,
      );
    }
  });
});

describe("stack with the account's Lambda concurrency", () => {
  it('reserves a half of it for lists, and leaves the rest to all other functions', () => {
    const functions = Object.entries(complete.Resources).filter(
      ([, { Type }]) => Type === 'AWS::Lambda::Function',
    );

    const reserved = functions.map(([id, { Properties }]) => [
      id.replace(/Function\w*$/, ''),
      Properties.ReservedConcurrentExecutions,
    ]);

    expect(Object.fromEntries(reserved)).toEqual({
      Authorizer: undefined,
      CancelOrder: undefined,
      ListOrders: 500,
    });
  });
});

describe('stack of an emergency deployment', () => {
  it('takes all traffic at once and looks at no alarm', () => {
    const groups = all(complete, 'AWS::CodeDeploy::DeploymentGroup');

    for (const group of groups) {
      expect(group.DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
      expect(group.AlarmConfiguration).toMatchObject({ Enabled: false });
      expect(group.AutoRollbackConfiguration.Events).not.toContain('DEPLOYMENT_STOP_ON_ALARM');
    }
    expect(groups).not.toEqual([]);
  });
});

function all({ Resources }: Template, type: string) {
  const found = Object.values(Resources).filter(({ Type }) => Type === type);
  return found.map(({ Properties }) => readable(Properties));
}

function one(from: Template, type: string) {
  const [properties, ...more] = all(from, type);
  expect(more).toEqual([]);
  return properties;
}
