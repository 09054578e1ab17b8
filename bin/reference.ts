/** `npm run reference -- --stage STAGE --out DIR`: writes the API reference as static files. */
import { referenceCommand } from '../reference/reference-command.ts';

process.exitCode = await referenceCommand(process.argv.slice(2));
