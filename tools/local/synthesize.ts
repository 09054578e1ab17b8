import { synthesize } from '../../lib/app.ts';
import { ConfigurationError, stageConfiguration } from '../../lib/settings/stage-configuration.ts';
import type { StageName } from '../../lib/settings/stages.ts';

/*
 * Synthesizes a stage into a folder like `bin/app.ts`. Only the bundles differ, because a debugger needs readable code
 * and source maps.
 */
const [, , stage, directory] = process.argv as [string, string, StageName, string];

try {
  await synthesize([stageConfiguration(stage)], directory, true);
} catch (error) {
  // An error of esbuild is not printed, because esbuild has already printed it with its place.
  if (!(error instanceof Error && 'errors' in error)) {
    console.error(error instanceof ConfigurationError ? error.message : error);
  }
  process.exitCode = 1;
}
