import { App } from 'aws-cdk-lib/core';
import settings from '../cdk.json' with { type: 'json' };

/** The flags that this app sets itself. They win over the flags of `cdk.json` and of the command line. */
const ownFlags = {
  // Synthesis fails for a template that CloudFormation would reject.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
  // `cdk` prints warnings by itself. The local run and the tests start the app without `cdk`, and need no warnings.
  '@aws-cdk/core:annotationsInValidationReport': false,
  // The templates have a token for the partition, because the CDK does not know new partitions.
  '@aws-cdk/core:enablePartitionLiterals': false,
};

/**
 * Creates the CDK app, without stacks. The flags in `cdk.json` choose the CDK's behaviour, so an update of the CDK
 * does not change a stage that is already deployed. `cdk` passes the flags to the app. The local run and the tests
 * start the app without `cdk`, so the app reads the flags itself.
 */
export function createApp(outdir: string): App {
  return new App({
    outdir,
    context: settings.context,
    postCliContext: ownFlags,
    // The caller synthesizes, because automatic synthesis would also run after a configuration error.
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
  });
}
