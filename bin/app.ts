import { join } from 'node:path';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import { bundleFunctions } from '../lib/functions/bundling.ts';
import { featureFlags } from '../lib/settings/feature-flags.ts';
import { stackName } from '../lib/settings/names.ts';
import { ConfigurationError } from '../lib/settings/stage-validation.ts';
import {
  isStageName,
  type StageName,
  stageConfiguration,
  stageNames,
} from '../lib/settings/stages.ts';
import { StoreOrdersStack } from '../lib/store-orders-stack.ts';

// `cdk` names its output folder in CDK_OUTDIR, and so may whoever calls this file directly.
const outputDirectory = process.env.CDK_OUTDIR ?? 'cdk.out';

const bundles = await bundleFunctions(join(outputDirectory, 'bundles'));
const app = new App({
  outdir: outputDirectory,
  // This file says when; by itself, it would also synthesize what a wrong configuration left.
  autoSynth: false,
  analyticsReporting: false,
  treeMetadata: false,
  // A template that CloudFormation would refuse fails here.
  postCliContext: { '@aws-cdk/core:validateAgainstDefaultRules': true, ...featureFlags },
});

try {
  for (const stage of requestedStages()) addStack(stage);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * All, or the one in `STORE_ORDERS_STAGE`: the local run needs one, and soon. CDK's own check of the
 * templates takes longer than all the rest; deployments and tests have it.
 */
function requestedStages(): readonly StageName[] {
  const requested = process.env.STORE_ORDERS_STAGE;
  if (!requested) return stageNames;
  process.env.CDK_VALIDATION ??= 'false';
  if (isStageName(requested)) return [requested];
  throw new ConfigurationError(
    `STORE_ORDERS_STAGE is "${requested}": use ${stageNames.join(' or ')}, or leave it out`,
  );
}

function addStack(stage: StageName): void {
  const configuration = stageConfiguration(stage, process.env);
  const { account, region } = configuration;
  new StoreOrdersStack(app, stackName(stage), {
    description: `Store orders API, ${stage}`,
    env: { account, region },
    terminationProtection: configuration.deletionProtection,
    // Nothing but resources and outputs in the template: no parameter and no rule about bootstrap.
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    configuration,
    bundles,
  });
}
