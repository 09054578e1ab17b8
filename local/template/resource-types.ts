import { createHash } from 'node:crypto';

/** The values from which a resource's identifiers are generated. */
export interface ResourceIdentity {
  readonly stackName: string;
  readonly logicalId: string;
  readonly region: string;
  readonly accountId: string;
  readonly partition: string;
  /** A property of the resource with its intrinsic functions resolved. */
  property(name: string): unknown;
}

interface ResourceType {
  /** The names of the properties that the local run supports, separated by spaces. */
  readonly supported: string;
  /** The names of the properties that have no effect in a local run, separated by spaces. */
  readonly withoutEffect?: string;
  /** The value of `Ref`. @default - a generated physical name */
  readonly ref?: (identity: ResourceIdentity) => string;
  /** The values of `Fn::GetAtt`. */
  readonly attributes?: Readonly<Record<string, (identity: ResourceIdentity) => string>>;
}

const apiId = (identity: ResourceIdentity) => stableId(identity, 10);
const shortId = (identity: ResourceIdentity) => stableId(identity, 6);

/**
 * The resource types that the local run supports, with their properties. A property in neither list
 * is an error, because it might have an effect in the cloud that the local run lacks.
 */
export const supportedTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::RestApi': {
    supported: 'ApiKeySourceType BinaryMediaTypes Name',
    withoutEffect: `
      Description DisableExecuteApiEndpoint EndpointAccessMode EndpointConfiguration
      SecurityPolicy Tags`,
    ref: apiId,
    attributes: {
      RestApiId: apiId,
      RootResourceId: (identity) => stableId(identity, 10, 'root'),
    },
  },
  'AWS::ApiGateway::Resource': {
    supported: 'ParentId PathPart RestApiId',
    ref: shortId,
    attributes: { ResourceId: shortId },
  },
  'AWS::ApiGateway::Method': {
    supported: `
      ApiKeyRequired AuthorizationType AuthorizerId HttpMethod Integration MethodResponses
      OperationName ResourceId RestApiId`,
  },
  'AWS::ApiGateway::Deployment': {
    supported: 'RestApiId',
    withoutEffect: 'Description',
    ref: shortId,
    attributes: { DeploymentId: shortId },
  },
  'AWS::ApiGateway::Stage': {
    supported: 'DeploymentId MethodSettings RestApiId StageName Variables',
    withoutEffect: 'AccessLogSetting Description Tags TracingEnabled',
    ref: (identity) => String(identity.property('StageName')),
  },
  'AWS::ApiGateway::Authorizer': {
    supported: `
      AuthorizerResultTtlInSeconds AuthorizerUri IdentitySource IdentityValidationExpression
      RestApiId Type`,
    withoutEffect: 'AuthorizerCredentials AuthType Name',
    ref: shortId,
    attributes: { AuthorizerId: shortId },
  },
  'AWS::ApiGateway::GatewayResponse': {
    supported: 'ResponseParameters ResponseTemplates ResponseType RestApiId StatusCode',
    ref: shortId,
    attributes: { Id: shortId },
  },
  'AWS::ApiGateway::UsagePlan': {
    supported: 'ApiStages Quota Throttle UsagePlanName',
    withoutEffect: 'Description Tags',
    ref: shortId,
    attributes: { Id: shortId },
  },
  'AWS::Lambda::Function': {
    supported: `
      Code Environment FunctionName Handler MemorySize ReservedConcurrentExecutions Role
      Runtime Timeout`,
    withoutEffect: `
      Architectures DeadLetterConfig Description EphemeralStorage KmsKeyArn LoggingConfig
      RecursiveLoop RuntimeManagementConfig SnapStart Tags TracingConfig`,
    ref: functionName,
    attributes: { Arn: functionArn },
  },
  'AWS::Lambda::Version': {
    supported: 'FunctionName',
    withoutEffect: 'CodeSha256 Description ProvisionedConcurrencyConfig RuntimePolicy',
    ref: (identity) => qualifiedArn(identity, '1'),
    attributes: {
      FunctionArn: (identity) => qualifiedArn(identity, '1'),
      Version: () => '1',
    },
  },
  'AWS::Lambda::Alias': {
    supported: 'FunctionName FunctionVersion Name',
    withoutEffect: 'Description ProvisionedConcurrencyConfig',
    ref: (identity) => qualifiedArn(identity, String(identity.property('Name'))),
    attributes: {
      AliasArn: (identity) => qualifiedArn(identity, String(identity.property('Name'))),
    },
  },
  'AWS::DynamoDB::Table': {
    supported: `
      AttributeDefinitions GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes TableName`,
    withoutEffect: `
      BillingMode ContributorInsightsSpecification DeletionProtectionEnabled
      KinesisStreamSpecification OnDemandThroughput PointInTimeRecoverySpecification
      ProvisionedThroughput SSESpecification StreamSpecification TableClass Tags
      TimeToLiveSpecification WarmThroughput`,
    attributes: { Arn: tableArn },
  },
  'AWS::DynamoDB::GlobalTable': {
    supported: `
      AttributeDefinitions GlobalSecondaryIndexes KeySchema LocalSecondaryIndexes TableName`,
    withoutEffect: `
      BillingMode Replicas SSESpecification StreamSpecification TimeToLiveSpecification
      WarmThroughput WriteOnDemandThroughputSettings WriteProvisionedThroughputSettings`,
    attributes: { Arn: tableArn },
  },
  'AWS::IAM::Role': {
    supported: `
      AssumeRolePolicyDocument ManagedPolicyArns PermissionsBoundary Policies RoleName`,
    withoutEffect: 'Description MaxSessionDuration Path Tags',
    ref: roleName,
    attributes: {
      Arn: (identity) => globalArn(identity, 'iam', `role/${roleName(identity)}`),
      RoleId: (identity) => `AROA${stableId(identity, 17).toUpperCase()}`,
    },
  },
  'AWS::IAM::Policy': {
    supported: 'PolicyDocument Roles',
    withoutEffect: 'Groups PolicyName Users',
  },
  'AWS::IAM::ManagedPolicy': {
    supported: 'PolicyDocument Roles',
    withoutEffect: 'Description Groups ManagedPolicyName Path Users',
    ref: managedPolicyArn,
    attributes: { PolicyArn: managedPolicyArn },
  },
};

/** The resource types that have no effect in a local run. */
export const typesWithoutEffect: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CDK::Metadata',
  'AWS::CertificateManager::Certificate',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentConfig',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::Logs::ResourcePolicy',
  'AWS::Logs::SubscriptionFilter',
  'AWS::Route53::RecordSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::WAFv2::IPSet',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
]);

/** A name like those that CloudFormation generates, but the same in every run. */
export function physicalName(identity: ResourceIdentity, maxLength = 255): string {
  const suffix = stableId(identity, 12).toUpperCase();
  const name = `${identity.stackName}-${identity.logicalId}`;
  return `${name.slice(0, maxLength - suffix.length - 1)}-${suffix}`;
}

/** A placeholder ARN for a resource that does not exist in a local run. */
export function placeholderArn(identity: ResourceIdentity): string {
  return arn(identity, 'local', physicalName(identity));
}

function functionName(identity: ResourceIdentity): string {
  return String(identity.property('FunctionName') ?? physicalName(identity, 64));
}

function functionArn(identity: ResourceIdentity): string {
  return arn(identity, 'lambda', `function:${functionName(identity)}`);
}

// The `FunctionName` of a version or an alias is the function's name or its ARN.
function qualifiedArn(identity: ResourceIdentity, qualifier: string): string {
  const name = String(identity.property('FunctionName'));
  const unqualified = name.startsWith('arn:') ? name : arn(identity, 'lambda', `function:${name}`);
  return `${unqualified}:${qualifier}`;
}

function tableArn(identity: ResourceIdentity): string {
  const name = identity.property('TableName') ?? physicalName(identity);
  return arn(identity, 'dynamodb', `table/${name}`);
}

function roleName(identity: ResourceIdentity): string {
  return String(identity.property('RoleName') ?? physicalName(identity, 64));
}

function managedPolicyArn(identity: ResourceIdentity): string {
  const name = identity.property('ManagedPolicyName') ?? physicalName(identity, 128);
  return globalArn(identity, 'iam', `policy/${name}`);
}

/** The ARN of a resource in a service without Regions. */
function globalArn(identity: ResourceIdentity, service: string, rest: string): string {
  return arn({ ...identity, region: '' }, service, rest);
}

function arn({ partition, region, accountId }: ResourceIdentity, service: string, rest: string) {
  return `arn:${partition}:${service}:${region}:${accountId}:${rest}`;
}

function stableId({ stackName, logicalId }: ResourceIdentity, length: number, salt = ''): string {
  const digest = createHash('sha256').update(`${stackName}/${logicalId}/${salt}`).digest();
  return BigInt(`0x${digest.toString('hex')}`)
    .toString(36)
    .slice(-length);
}
