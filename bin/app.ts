import { join } from 'node:path';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import { bundleFunctions } from '../lib/functions/bundling.ts';
import { stackName } from '../lib/settings/names.ts';
import { ConfigurationError, stageConfiguration } from '../lib/settings/stage-variables.ts';
import { isStageName, type StageName, stageNames } from '../lib/settings/stages.ts';
import { StoreOrdersStack } from '../lib/store-orders-stack.ts';

// The `cdk` command sets CDK_OUTDIR. A caller that runs this file directly can set it as well.
const outputDirectory = process.env.CDK_OUTDIR ?? 'cdk.out';

const bundles = await bundleFunctions(join(outputDirectory, 'bundles'));
const app = new App({
  outdir: outputDirectory,
  // `synth` is called below. Automatic synthesis would also run after a configuration error.
  autoSynth: false,
  analyticsReporting: false,
  treeMetadata: false,
  // Synthesis fails for a template that CloudFormation would reject.
  postCliContext: { '@aws-cdk/core:validateAgainstDefaultRules': true },
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
 * All stages, or the one in `STORE_ORDERS_STAGE`, which the local service sets to start faster. The
 * validation of templates is then off by default, because it takes longer than the rest of the
 * synthesis. Deployments and tests run it.
 *
 * @throws ConfigurationError if there is no such stage
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
    // Without the rule, the template needs no parameter for the version of the bootstrap stack.
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    configuration,
    bundles,
  });
}
