import { join } from 'node:path';
import { App, DefaultStackSynthesizer } from 'aws-cdk-lib/core';
import { bundleFunctions } from '../lib/bundling.ts';
import { type StageName, stageConfiguration, stageNames } from '../lib/stages.ts';
import { StoreOrdersStack } from '../lib/store-orders-stack.ts';

const outputDirectory = process.env.CDK_OUTDIR ?? 'cdk.out';
const bundles = await bundleFunctions(join(outputDirectory, 'bundles'));
const app = new App({ outdir: outputDirectory, analyticsReporting: false, treeMetadata: false });
const stage: StageName | undefined = app.node.tryGetContext('stage');

for (const name of stage ? [stage] : stageNames) {
  const configuration = stageConfiguration(name);
  const { account, region } = configuration;
  new StoreOrdersStack(app, `StoreOrders-${name}`, {
    description: `Store orders API, ${name}`,
    env: { account, region },
    synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    configuration,
    bundles,
  });
}
app.synth();
