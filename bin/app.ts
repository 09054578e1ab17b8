import { synthesize } from '../lib/app.ts';
import { ConfigurationError, stageConfiguration } from '../lib/settings/stage-configuration.ts';
import { isStageName, type StageName, stageChoices, stageNames } from '../lib/settings/stages.ts';

try {
  const configurations = requestedStages().map((stage) => stageConfiguration(stage, process.env));
  // The `cdk` command sets CDK_OUTDIR. A caller that runs this file directly can set it as well.
  await synthesize(configurations, process.env.CDK_OUTDIR ?? 'cdk.out');
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/**
 * All stages except trials. If `ORDERS_STAGE` names a stage, only this stage, so that no command destroys another stage
 * by mistake.
 */
function requestedStages(): readonly StageName[] {
  const requested = process.env.ORDERS_STAGE;
  if (!requested) return stageNames;
  if (isStageName(requested)) return [requested];
  throw new ConfigurationError(
    `ORDERS_STAGE is "${requested}": use ${stageChoices}, or leave it out`,
  );
}
