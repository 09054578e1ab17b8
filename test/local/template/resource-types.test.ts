import { describe, expect, it } from '@jest/globals';
import { createTemplate } from '../small-template.ts';

const wordsOf = (text: string) => text.trim().split(/\s+/);

/** The properties that a local run takes, whether they have an effect in it or not. */
const properties: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::RestApi': `
    ApiKeySourceType BinaryMediaTypes Description DisableExecuteApiEndpoint EndpointAccessMode
    EndpointConfiguration Name SecurityPolicy Tags`,
  'AWS::ApiGateway::Resource': 'ParentId PathPart RestApiId',
  'AWS::ApiGateway::Method': `
    ApiKeyRequired AuthorizationType AuthorizerId HttpMethod Integration MethodResponses
    OperationName ResourceId RestApiId`,
  'AWS::ApiGateway::Deployment': 'Description RestApiId',
  'AWS::ApiGateway::Stage': `
    AccessLogSetting DeploymentId Description MethodSettings RestApiId StageName Tags
    TracingEnabled Variables`,
  'AWS::ApiGateway::Authorizer': `
    AuthType AuthorizerCredentials AuthorizerResultTtlInSeconds AuthorizerUri IdentitySource
    IdentityValidationExpression Name RestApiId Type`,
  'AWS::ApiGateway::GatewayResponse':
    'ResponseParameters ResponseTemplates ResponseType RestApiId StatusCode',
  'AWS::ApiGateway::UsagePlan': 'ApiStages Description Quota Tags Throttle UsagePlanName',
  'AWS::Lambda::Function': `
    Architectures Code DeadLetterConfig Description Environment EphemeralStorage FunctionName
    Handler KmsKeyArn LoggingConfig MemorySize RecursiveLoop ReservedConcurrentExecutions Role
    Runtime RuntimeManagementConfig SnapStart Tags Timeout TracingConfig`,
  'AWS::Lambda::Version':
    'CodeSha256 Description FunctionName ProvisionedConcurrencyConfig RuntimePolicy',
  'AWS::Lambda::Alias':
    'Description FunctionName FunctionVersion Name ProvisionedConcurrencyConfig',
  'AWS::DynamoDB::Table': `
    AttributeDefinitions BillingMode ContributorInsightsSpecification DeletionProtectionEnabled
    GlobalSecondaryIndexes KeySchema KinesisStreamSpecification LocalSecondaryIndexes
    OnDemandThroughput PointInTimeRecoverySpecification ProvisionedThroughput SSESpecification
    StreamSpecification TableClass TableName Tags TimeToLiveSpecification WarmThroughput`,
  'AWS::DynamoDB::GlobalTable': `
    AttributeDefinitions BillingMode GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes Replicas
    SSESpecification StreamSpecification TableName TimeToLiveSpecification WarmThroughput
    WriteOnDemandThroughputSettings WriteProvisionedThroughputSettings`,
  'AWS::IAM::Role': `
    AssumeRolePolicyDocument Description ManagedPolicyArns MaxSessionDuration Path
    PermissionsBoundary Policies RoleName Tags`,
  'AWS::IAM::Policy': 'Groups PolicyDocument PolicyName Roles Users',
  'AWS::IAM::ManagedPolicy': 'Description Groups ManagedPolicyName Path PolicyDocument Roles Users',
};

const typesWithoutEffect = wordsOf(`
  AWS::ApiGateway::Account AWS::ApiGateway::BasePathMapping AWS::ApiGateway::DomainName
  AWS::ApplicationAutoScaling::ScalableTarget AWS::ApplicationAutoScaling::ScalingPolicy
  AWS::CDK::Metadata AWS::CertificateManager::Certificate AWS::CloudWatch::Alarm
  AWS::CloudWatch::CompositeAlarm AWS::CloudWatch::Dashboard AWS::CodeDeploy::Application
  AWS::CodeDeploy::DeploymentConfig AWS::CodeDeploy::DeploymentGroup AWS::KMS::Alias AWS::KMS::Key
  AWS::Lambda::Permission AWS::Logs::LogGroup AWS::Logs::MetricFilter AWS::Logs::QueryDefinition
  AWS::Logs::ResourcePolicy AWS::Logs::SubscriptionFilter AWS::Route53::RecordSet
  AWS::SNS::Subscription AWS::SNS::Topic AWS::SNS::TopicPolicy AWS::WAFv2::IPSet
  AWS::WAFv2::LoggingConfiguration AWS::WAFv2::WebACL AWS::WAFv2::WebACLAssociation`);

function resource(Type: string, Properties: Record<string, unknown> = {}, logicalId = 'X') {
  const template = createTemplate({ [logicalId]: { Type, Properties } });
  return template.ofType(Type)[0]!;
}

const arn = (service: string, rest: string) =>
  `arn:aws:${service}:eu-central-1:123456789012:${rest}`;
const role = 'arn:aws:iam::123456789012:role/reader';
const policy = 'arn:aws:iam::123456789012:policy/reading';

describe('a resource type', () => {
  it.each(Object.entries(properties))('takes its properties: %s', (type, names) => {
    const given = Object.fromEntries(wordsOf(names).map((name) => [name, 'x']));

    expect(() => resource(type, given)).not.toThrow();
    expect(() => resource(type, { ...given, Other: 'x' })).toThrow(
      `X: the property Other of ${type} is not supported locally`,
    );
  });

  it.each(typesWithoutEffect)('without an effect takes any property: %s', (type) => {
    const { ref, attribute } = resource(type, { Anything: true });

    expect(ref).toMatch(/^Small-X-[0-9A-Z]{12}$/);
    expect(attribute('Arn')).toMatch(/^arn:aws:local:/);
  });

  // Data of a run of an earlier version are stored under these names.
  it.each<[string, Record<string, unknown>, string, Record<string, string>]>([
    [
      'AWS::ApiGateway::RestApi',
      {},
      '1gv6ldbz5k',
      { RestApiId: '1gv6ldbz5k', RootResourceId: 'jn290ko459' },
    ],
    ['AWS::ApiGateway::Resource', {}, 'ldbz5k', { ResourceId: 'ldbz5k' }],
    ['AWS::ApiGateway::Method', {}, 'Small-X-U31GV6LDBZ5K', {}],
    ['AWS::ApiGateway::Deployment', {}, 'ldbz5k', { DeploymentId: 'ldbz5k' }],
    ['AWS::ApiGateway::Stage', { StageName: 'test' }, 'test', {}],
    ['AWS::ApiGateway::Authorizer', {}, 'ldbz5k', { AuthorizerId: 'ldbz5k' }],
    ['AWS::ApiGateway::GatewayResponse', {}, 'ldbz5k', { Id: 'ldbz5k' }],
    ['AWS::ApiGateway::UsagePlan', {}, 'ldbz5k', { Id: 'ldbz5k' }],
    [
      'AWS::Lambda::Function',
      {},
      'Small-X-U31GV6LDBZ5K',
      { Arn: arn('lambda', 'function:Small-X-U31GV6LDBZ5K') },
    ],
    [
      'AWS::Lambda::Function',
      { FunctionName: 'list' },
      'list',
      { Arn: arn('lambda', 'function:list') },
    ],
    [
      'AWS::Lambda::Version',
      { FunctionName: 'list' },
      arn('lambda', 'function:list:1'),
      { FunctionArn: arn('lambda', 'function:list:1'), Version: '1' },
    ],
    [
      'AWS::Lambda::Alias',
      { FunctionName: arn('lambda', 'function:list'), Name: 'live' },
      arn('lambda', 'function:list:live'),
      { AliasArn: arn('lambda', 'function:list:live') },
    ],
    [
      'AWS::DynamoDB::Table',
      {},
      'Small-X-U31GV6LDBZ5K',
      { Arn: arn('dynamodb', 'table/Small-X-U31GV6LDBZ5K') },
    ],
    [
      'AWS::DynamoDB::GlobalTable',
      { TableName: 'orders' },
      'orders',
      { Arn: arn('dynamodb', 'table/orders') },
    ],
    [
      'AWS::IAM::Role',
      { RoleName: 'reader' },
      'reader',
      { Arn: role, RoleId: 'AROAHHNMWU31GV6LDBZ5K' },
    ],
    ['AWS::IAM::Policy', {}, 'Small-X-U31GV6LDBZ5K', {}],
    ['AWS::IAM::ManagedPolicy', { ManagedPolicyName: 'reading' }, policy, { PolicyArn: policy }],
  ])('has the same names in every run: %s with %j', (type, given, ref, attributes) => {
    const found = resource(type, given);

    const names = Object.keys(attributes);
    expect([found.ref, ...names.map((name) => found.attribute(name))]).toEqual([
      ref,
      ...Object.values(attributes),
    ]);
    expect(found.attribute('Other')).toBeUndefined();
  });

  it.each([
    ['AWS::Lambda::Function', 64, ''],
    ['AWS::IAM::Role', 64, ''],
    ['AWS::IAM::ManagedPolicy', 128, 'arn:aws:iam::123456789012:policy/'],
    ['AWS::DynamoDB::Table', 255, ''],
  ])('has names as long as AWS allows at most: %s, %d', (type, length, prefix) => {
    const { ref } = resource(type, {}, 'L'.repeat(300));

    expect(ref).toMatch(new RegExp(`^${prefix}Small-L+-[0-9A-Z]{12}$`));
    expect(ref).toHaveLength(prefix.length + length);
  });
});
