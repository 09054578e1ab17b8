import { App } from 'aws-cdk-lib/core';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';

/**
 * The behaviour that the installed version of the CDK recommends. One flag matters to every update: a
 * deployment of an API is a snapshot that includes the authorizer, and without
 * `authorizerChangeDeploymentLogicalId` CloudFormation may make a new deployment before it changes the
 * authorizer, so that the stage keeps the old one.
 */
const featureFlags = {
  ...CURRENTLY_RECOMMENDED_FLAGS,
  // Synthesis fails for a template that CloudFormation would reject.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
  // `cdk` prints warnings. The local run and the tests, which run the app without it, need none.
  '@aws-cdk/core:annotationsInValidationReport': false,
  // The templates name the partition by a token, because new partitions are not known to the CDK.
  '@aws-cdk/core:enablePartitionLiterals': false,
};

/** Creates the CDK app, without stacks. */
export function createApp(outdir: string): App {
  return new App({
    outdir,
    context: featureFlags,
    // The caller synthesizes. Automatic synthesis would also run after a configuration error.
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
  });
}
