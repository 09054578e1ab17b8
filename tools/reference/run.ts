/** `npm run reference -- --stage STAGE --out DIR`: writes the API reference as static files. */

import { outliveLostOutput } from '../shared/lost-output.ts';
import { referenceCommand } from './reference-command.ts';

outliveLostOutput();
process.exitCode = await referenceCommand(process.argv.slice(2));
