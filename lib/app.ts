import { App } from 'aws-cdk-lib/core';
import settings from '../cdk.json' with { type: 'json' };
import { bundleFunctions } from './functions/bundling.ts';
import { ServiceStack } from './service-stack.ts';
import type { StageConfiguration } from './settings/stage-configuration.ts';

/** The flags that this app sets itself. They override the flags of `cdk.json` and of the command line. */
const ownFlags = {
  // With this flag, synthesis fails for a template that CloudFormation would reject.
  '@aws-cdk/core:validateAgainstDefaultRules': true,
  // Off, because `cdk` prints warnings by itself, and the local run and the tests need no warnings.
  '@aws-cdk/core:annotationsInValidationReport': false,
  // Off, so that the templates have a token for the partition, because the CDK does not know new partitions.
  '@aws-cdk/core:enablePartitionLiterals': false,
};

/**
 * Bundles the functions, and writes a cloud assembly with the stacks of some stages. The flags in `cdk.json` choose the
 * CDK's behaviour, so an update of the CDK does not change a stage that is already deployed. `cdk` passes the flags to
 * the app. The local run and the tests start the app without `cdk`, so the app reads the flags itself.
 *
 * @param forDebugger whether the functions' code is readable and contains its source map
 * @returns the app, which contains the stacks
 * @throws esbuild's BuildFailure
 */
export async function synthesize(
  configurations: readonly StageConfiguration[],
  outdir: string,
  forDebugger = false,
): Promise<App> {
  const bundles = await bundleFunctions(outdir, forDebugger);
  const app = new App({
    outdir,
    context: settings.context,
    postCliContext: ownFlags,
    autoSynth: false,
    analyticsReporting: false,
    treeMetadata: false,
  });
  for (const configuration of configurations) new ServiceStack(app, configuration, bundles);
  app.synth();
  return app;
}
