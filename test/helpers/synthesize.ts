import { synthesize } from '../../lib/app.ts';
import { stageNames } from '../../lib/settings/stages.ts';
import { configurationForTests } from './stage-for-tests.ts';

/* Synthesizes all stages like `bin/app.ts`, into the folder that is the argument of this program. */
const [, , directory] = process.argv;
await synthesize(stageNames.map(configurationForTests), directory!);
