import { join } from 'node:path';
import { createApp } from '../../lib/app.ts';
import { bundleFunctions } from '../../lib/functions/bundling.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { stageNames } from '../../lib/settings/stages.ts';
import { configurationForTests } from './stage-for-tests.ts';

/* Synthesizes all stages like `bin/app.ts`, into the folder that is the argument of this program. */
const [, , directory] = process.argv;
const bundles = await bundleFunctions(join(directory!, 'bundles'));
const app = createApp(directory!);
for (const stage of stageNames) new ServiceStack(app, configurationForTests(stage), bundles);
app.synth();
