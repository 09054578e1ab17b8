/**
 * Behaviour that the CDK keeps behind a flag, for every app that makes this stack.
 *
 * A deployment of an API is a snapshot, the authorizer included. Without the flag, a changed
 * validation expression or TTL leaves the deployment's logical id as it was: `cdk deploy` succeeds,
 * and the stage goes on with the authorizer that it had.
 */
export const featureFlags = {
  '@aws-cdk/aws-apigateway:authorizerChangeDeploymentLogicalId': true,
};
