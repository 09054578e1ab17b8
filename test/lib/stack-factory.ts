import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import { featureFlags } from '../../lib/settings/feature-flags.ts';
import {
  type StageConfiguration,
  type StageName,
  stageConfiguration,
} from '../../lib/settings/stages.ts';
import { StoreOrdersStack } from '../../lib/store-orders-stack.ts';
import { assemblyDirectory, type Template } from '../helpers/synthesized.ts';

/** Creates the stack of a stage with a different configuration, without synthesizing it. */
export function createStack(
  stage: StageName,
  overrides: Partial<StageConfiguration> = {},
): StoreOrdersStack {
  const outdir = mkdtempSync(join(assemblyDirectory(), 'variant-'));
  const app = new App({
    outdir,
    analyticsReporting: false,
    treeMetadata: false,
    postCliContext: featureFlags,
  });
  const bundle = (name: string) => ({ directory: join(assemblyDirectory(), 'bundles', name) });
  return new StoreOrdersStack(app, `StoreOrders-${stage}`, {
    configuration: { ...stageConfiguration(stage, {}), ...overrides },
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    bundles: {
      authorizer: bundle('authorizer'),
      listOrders: bundle('listOrders'),
      cancelOrder: bundle('cancelOrder'),
    },
  });
}

// Templates are validated in checks.test.ts and not at the synthesis of each variant here.
process.env.CDK_VALIDATION = 'false';

/** The template of a stage with a different configuration. */
export function synthesize(
  stage: StageName,
  overrides: Partial<StageConfiguration> = {},
): Template {
  const stack = createStack(stage, overrides);
  return (stack.node.root as App).synth({ force: true }).getStackByName(stack.stackName).template;
}
