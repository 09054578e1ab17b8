/** `npm run smoke -- --url BASE`: compares a running stage with the published contract. */
import { text } from 'node:stream/consumers';
import { outliveLostOutput } from '../shared/lost-output.ts';
import { smokeTest } from './smoke-test.ts';

outliveLostOutput();
process.exitCode = await smokeTest(process.argv.slice(2), {
  environment: process.env,
  readInput: async () => (process.stdin.isTTY ? undefined : text(process.stdin)),
});
