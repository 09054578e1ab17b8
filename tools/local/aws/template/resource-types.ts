import { createHash } from 'node:crypto';

/** The stack, Region and account of a template. */
export interface TemplateEnvironment {
  readonly stackName: string;
  readonly region: string;
  readonly accountId: string;
}

/** The values from which a resource's identifiers are generated. */
export interface ResourceIdentity extends TemplateEnvironment {
  readonly logicalId: string;
  /** A property of the resource with its intrinsic functions resolved. */
  property(name: string): unknown;
}

interface ResourceType {
  /** The value of `Ref`. @default - a generated physical name */
  readonly ref?: (identity: ResourceIdentity) => string;
  /** The values of `Fn::GetAtt`. */
  readonly attributes?: Readonly<Record<string, (identity: ResourceIdentity) => string>>;
}

const shortId = (identity: ResourceIdentity) => stableId(identity, 6);

/** The resource types that have an effect in a local run. */
export const supportedTypes: Readonly<Record<string, ResourceType>> = {
  'AWS::ApiGateway::RestApi': {
    ref: (identity) => stableId(identity, 10),
    attributes: { RootResourceId: (identity) => stableId(identity, 10, 'root') },
  },
  'AWS::ApiGateway::Resource': { ref: shortId },
  'AWS::ApiGateway::Method': {},
  'AWS::ApiGateway::Deployment': { ref: shortId },
  'AWS::ApiGateway::Stage': { ref: (identity) => String(identity.property('StageName')) },
  'AWS::ApiGateway::Authorizer': { ref: shortId },
  'AWS::ApiGateway::GatewayResponse': {},
  'AWS::ApiGateway::UsagePlan': { ref: shortId },
  'AWS::Lambda::Function': {
    ref: shortName,
    attributes: {
      Arn: (identity) => arn(identity, 'lambda', `function:${shortName(identity)}`),
    },
  },
  'AWS::Lambda::Version': {
    ref: (identity) => qualifiedArn(identity, '1'),
    attributes: { Version: () => '1' },
  },
  'AWS::Lambda::Alias': {
    ref: (identity) => qualifiedArn(identity, String(identity.property('Name'))),
  },
  'AWS::DynamoDB::Table': {
    attributes: {
      Arn: tableArn,
      // A placeholder, because the embedded DynamoDB has no streams.
      StreamArn: (identity) => `${tableArn(identity)}/stream/local`,
    },
  },
  'AWS::IAM::Policy': {},
  'AWS::IAM::Role': {
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

/** A name like CloudFormation's generated names, but the same in every run. */
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
