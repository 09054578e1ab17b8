import { App } from 'aws-cdk-lib/core';
import settings from '../cdk.json' with { type: 'json' };

/** The flags that this app sets itself. They win over those of `cdk.json` and of the command line. */
const ownFlags = {
  // Synthesis fails for a template that CloudFormation would reject.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
  // `cdk` prints warnings. The local run and the tests, which run the app without it, need none.
  '@aws-cdk/core:annotationsInValidationReport': false,
  // The templates name the partition by a token, because new partitions are not known to the CDK.
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
    // The caller synthesizes. Automatic synthesis would also run after a configuration error.
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
  });
}
