import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnResource, Lazy, Stack } from 'aws-cdk-lib/core';

/** What a deployment takes a copy of. */
const copiedTypes = new Set([
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
]);

/**
 * Makes the logical id of the API's deployment depend on all that the deployment is a copy of, as
 * the template has it. A stage serves the copy: without a new one, a change would deploy without any
 * effect. The constructs count in the properties that they were made with, and miss what is set on
 * the resources below them.
 */
export function deployEveryChange(restApi: RestApi): void {
  const stack = Stack.of(restApi);
  const copied = () =>
    stack.node
      .findAll()
      .filter((construct) => CfnResource.isCfnResource(construct))
      .filter(({ cfnResourceType }) => copiedTypes.has(cfnResourceType))
      .map((resource) => resource._toCloudFormation());
  restApi.latestDeployment!.addToLogicalId(Lazy.any({ produce: copied }));
}
