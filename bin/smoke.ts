/** `npm run smoke -- --url BASE --key KEY`: compares a running stage with the published contract. */
import { smokeTest } from '../smoke/smoke-test.ts';

process.exitCode = await smokeTest(process.argv.slice(2), process.env, {
  print: console.log,
  printError: console.error,
});
