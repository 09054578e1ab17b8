import { createApp } from '../../lib/app.ts';
import { bundleFunctions } from '../../lib/functions/bundling.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { ConfigurationError, stageConfiguration } from '../../lib/settings/stage-configuration.ts';
import type { StageName } from '../../lib/settings/stages.ts';

/*
 * Synthesizes a stage into a folder like `bin/app.ts`. Only the bundles differ, because a debugger needs readable code
 * and source maps.
 */
const [, , stage, directory] = process.argv as [string, string, StageName, string];

try {
  const configuration = stageConfiguration(stage);
  // The folders of the bundles are next to the assets' folders, because the paths in a source map are relative.
  const bundles = await bundleFunctions(directory, true);
  const app = createApp(directory);
  new ServiceStack(app, configuration, bundles);
  app.synth();
} catch (error) {
  // esbuild has printed its errors, with their places.
  if (!(error instanceof Error && 'errors' in error)) {
    console.error(error instanceof ConfigurationError ? error.message : error);
  }
  process.exitCode = 1;
}
