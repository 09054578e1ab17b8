/**
 * The CDK feature flags of every app that contains this stack.
 *
 * A deployment of an API is a snapshot that includes the authorizer. Without this flag, a changed
 * validation expression or TTL does not change the deployment's logical id: `cdk deploy` succeeds,
 * but the stage keeps the old authorizer.
 */
export const featureFlags = {
  '@aws-cdk/aws-apigateway:authorizerChangeDeploymentLogicalId': true,
};
