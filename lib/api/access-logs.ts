import { AccessLogFormat, CfnAccount, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from '../settings/acknowledge.ts';

/**
 * One line of JSON per request. Who asked is told by the public `ownerId` and `keyId`; headers, and with them the
 * token, are not among the variables. All values are quoted: API Gateway writes `-` for what it
 * does not know.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html
 */
const fields = {
  time: '$context.requestTimeEpoch',
  stage: '$context.stage',
  requestId: '$context.requestId',
  // A client can choose the id above, but not this one, which it is told as `x-amz-apigw-id`.
  extendedRequestId: '$context.extendedRequestId',
  ownerId: '$context.authorizer.ownerId',
  keyId: '$context.authorizer.keyId',
  plan: '$context.authorizer.plan',
  sourceIp: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  errorType: '$context.error.responseType',
  responseBytes: '$context.responseLength',
  responseLatencyMs: '$context.responseLatency',
  authorizerLatencyMs: '$context.authorizer.latency',
  authorizerStatus: '$context.authorizer.status',
  // Of a stream, the latencies last until its end, which is up to the client; this one is ours.
  firstContentMs: '$context.integration.timeToFirstContent',
  integrationLatencyMs: '$context.integrationLatency',
  integrationStatus: '$context.integrationStatus',
};

export interface AccessLogsProps {
  readonly retentionDays: number;
}

/** Where the API's access log goes, how a line looks, and the permission to write it. */
export class AccessLogs extends Construct {
  readonly logGroup: LogGroup;
  readonly destination: LogGroupLogDestination;
  readonly format = AccessLogFormat.custom(JSON.stringify(fields));
  /** What a stage that logs must wait for. */
  readonly account: CfnAccount;

  constructor(scope: Construct, id: string, props: AccessLogsProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.retentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.destination = new LogGroupLogDestination(this.logGroup);
    this.account = allowApiGatewayToLog(this);
  }
}

// API Gateway has one such role per account and Region, which all APIs share: it stays when a stack
// goes, or the other stage would stop logging.
function allowApiGatewayToLog(scope: Construct): CfnAccount {
  const role = new Role(scope, 'ApiGatewayRole', {
    assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    managedPolicies: [
      ManagedPolicy.fromAwsManagedPolicyName('service-role/AmazonAPIGatewayPushToCloudWatchLogs'),
    ],
  });
  role.applyRemovalPolicy(RemovalPolicy.RETAIN);
  acknowledge(role, {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason: 'API Gateway accepts its logging role only with the permissions of this policy.',
  });
  const account = new CfnAccount(scope, 'ApiGatewayAccount', { cloudWatchRoleArn: role.roleArn });
  account.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return account;
}
