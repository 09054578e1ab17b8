import { createHash } from 'node:crypto';

/** The stack, Region and account of a template. */
export interface TemplateEnvironment {
  readonly stackName: string;
  readonly region: string;
  readonly accountId: string;
}

/** What a resource's identifiers are generated from. */
export interface ResourceIdentity extends TemplateEnvironment {
  readonly logicalId: string;
  /** A property of the resource with its intrinsic functions resolved. */
  property(name: string): unknown;
}

interface ResourceType {
  /** The names of the properties that the local run supports, separated by spaces. */
  readonly supported: string;
  /** The names of the properties that have no effect in a local run, separated by spaces. */
  readonly withoutEffect?: string;
  /** The names within a property, by its path, such as `Integration`. A list stands for its elements. */
  readonly nested?: Readonly<Record<string, string>>;
  /** The value of `Ref`. @default - a generated physical name */
  readonly ref?: (identity: ResourceIdentity) => string;
  /** The values of `Fn::GetAtt`. */
  readonly attributes?: Readonly<Record<string, (identity: ResourceIdentity) => string>>;
}

const shortId = (identity: ResourceIdentity) => stableId(identity, 6);

/** A property in neither list is an error, because it might have an effect in the cloud. */
export const supportedTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::RestApi': {
    supported: 'ApiKeySourceType Name',
    withoutEffect: `
      Description DisableExecuteApiEndpoint EndpointAccessMode EndpointConfiguration
      SecurityPolicy`,
    ref: (identity) => stableId(identity, 10),
    attributes: { RootResourceId: (identity) => stableId(identity, 10, 'root') },
  },
  'AWS::ApiGateway::Resource': { supported: 'ParentId PathPart RestApiId', ref: shortId },
  'AWS::ApiGateway::Method': {
    supported: `
      ApiKeyRequired AuthorizationType AuthorizerId HttpMethod Integration MethodResponses
      OperationName ResourceId RestApiId`,
    nested: {
      Integration: `
        IntegrationHttpMethod IntegrationResponses PassthroughBehavior RequestTemplates
        ResponseTransferMode TimeoutInMillis Type Uri`,
      'Integration.IntegrationResponses': 'ResponseParameters ResponseTemplates StatusCode',
    },
  },
  'AWS::ApiGateway::Deployment': {
    supported: 'RestApiId',
    withoutEffect: 'Description',
    ref: shortId,
  },
  'AWS::ApiGateway::Stage': {
    supported: 'DeploymentId MethodSettings RestApiId StageName',
    withoutEffect: 'AccessLogSetting',
    nested: {
      // The settings of the second line have no effect in a local run.
      MethodSettings: `
        HttpMethod ResourcePath ThrottlingBurstLimit ThrottlingRateLimit
        DataTraceEnabled LoggingLevel MetricsEnabled`,
    },
    ref: (identity) => String(identity.property('StageName')),
  },
  'AWS::ApiGateway::Authorizer': {
    supported: `
      AuthorizerResultTtlInSeconds AuthorizerUri IdentitySource IdentityValidationExpression
      RestApiId Type`,
    withoutEffect: 'Name',
    ref: shortId,
  },
  'AWS::ApiGateway::GatewayResponse': {
    supported: 'ResponseParameters ResponseTemplates ResponseType RestApiId StatusCode',
  },
  'AWS::ApiGateway::UsagePlan': {
    supported: 'ApiStages Quota Throttle',
    withoutEffect: 'Description Tags UsagePlanName',
    nested: {
      ApiStages: 'ApiId Stage Throttle',
      'ApiStages.Throttle': '',
      Quota: 'Limit Period',
      Throttle: 'BurstLimit RateLimit',
    },
    ref: shortId,
  },
  'AWS::Lambda::Function': {
    supported: `
      Code Environment Handler MemorySize ReservedConcurrentExecutions Role Runtime Timeout`,
    withoutEffect: 'Architectures Description LoggingConfig',
    nested: { Code: 'S3Bucket S3Key' },
    ref: shortName,
    attributes: {
      Arn: (identity) => arn(identity, 'lambda', `function:${shortName(identity)}`),
    },
  },
  'AWS::Lambda::Version': {
    supported: 'FunctionName',
    ref: (identity) => qualifiedArn(identity, '1'),
    attributes: { Version: () => '1' },
  },
  'AWS::Lambda::Alias': {
    supported: 'FunctionName FunctionVersion Name',
    ref: (identity) => qualifiedArn(identity, String(identity.property('Name'))),
  },
  'AWS::DynamoDB::Table': {
    supported: 'AttributeDefinitions KeySchema',
    withoutEffect: `
      BillingMode ContributorInsightsSpecification DeletionProtectionEnabled
      PointInTimeRecoverySpecification StreamSpecification`,
    attributes: {
      Arn: tableArn,
      // A placeholder: the embedded DynamoDB has no streams.
      StreamArn: (identity) => `${tableArn(identity)}/stream/local`,
    },
  },
  'AWS::IAM::Policy': {
    supported: 'PolicyDocument Roles',
    withoutEffect: 'PolicyName',
    nested: { 'PolicyDocument.Statement': 'Action Effect Resource' },
  },
  'AWS::IAM::Role': {
    supported: 'ManagedPolicyArns Policies',
    withoutEffect: 'AssumeRolePolicyDocument',
    nested: { 'Policies.PolicyDocument.Statement': 'Action Effect Resource' },
    ref: shortName,
    attributes: {
      Arn: (identity) => arn({ ...identity, region: '' }, 'iam', `role/${shortName(identity)}`),
    },
  },
};

/** The resource types that have no effect in a local run. */
export const typesWithoutEffect: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
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

function qualifiedArn(identity: ResourceIdentity, qualifier: string): string {
  return arn(identity, 'lambda', `function:${identity.property('FunctionName')}:${qualifier}`);
}

function shortName(identity: ResourceIdentity): string {
  return physicalName(identity, 64);
}

function tableArn(identity: ResourceIdentity): string {
  return arn(identity, 'dynamodb', `table/${physicalName(identity)}`);
}

function arn({ region, accountId }: ResourceIdentity, service: string, rest: string) {
  return `arn:aws:${service}:${region}:${accountId}:${rest}`;
}

function stableId({ stackName, logicalId }: ResourceIdentity, length: number, salt = ''): string {
  const digest = createHash('sha256').update(`${stackName}/${logicalId}/${salt}`).digest('hex');
  return BigInt(`0x${digest}`).toString(36).slice(-length);
}
