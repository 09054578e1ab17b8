import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnResource, Lazy, Stack } from 'aws-cdk-lib/core';

/** The types of the resources that a deployment copies. */
const copiedTypes = new Set([
  'AWS::ApiGateway::Authorizer',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
]);

/**
 * Makes the logical id of the API's deployment depend on everything that the deployment copies, as it
 * is in the template. A stage serves the deployment's copy, so without a new deployment a change
 * would have no effect. The constructs' own hash covers the properties that they were created with,
 * but not those that were set on the resources below them.
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
