import { App, DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { ServiceStack, type ServiceStackProps } from './service-stack.ts';
import { serviceName, stackName, stackTag } from './settings/names.ts';
import type { StageConfiguration } from './settings/stage-configuration.ts';

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

/** Adds the stack of a stage. */
export function addStack(
  app: App,
  configuration: StageConfiguration,
  bundles: ServiceStackProps['bundles'],
): ServiceStack {
  const { stage, account, region } = configuration;
  return new ServiceStack(app, stackName(stage), {
    description: `${serviceName} API, ${stage}`,
    // Without an account and a Region, the ids of the functions' versions would depend on whether the
    // deploying machine has them: the CDK hashes the ids from the name of the assets' bucket, too.
    env: { account, region },
    // CloudFormation passes the tag on to the resources, and the bill can be divided by it.
    tags: { [stackTag]: stackName(stage) },
    terminationProtection: configuration.deletionProtection,
    // Without the rule, the template needs no parameter for the version of the bootstrap stack.
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    configuration,
    bundles,
  });
}
