import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemblyDirectory, template } from '../../../../test/helpers/synthesized.ts';

const preloaded = join(import.meta.dirname, 'tested-function.cjs');

/**
 * Writes the template of staging, whose functions load tested-function.cjs, beside the original. Functions
 * run in threads, so this is how a test changes what they use. The tables have names of their own, because
 * tests of other files may share the database.
 *
 * @param variables environment variables for all functions
 * @returns the path of the file
 */
export function templateWithFunctions(variables: Readonly<Record<string, string>> = {}): string {
  const changed = template('staging');
  for (const { Type, Properties } of Object.values(changed.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    // The time for which tested-function.cjs lets a function wait for DynamoDB.
    Properties.Timeout = 120;
    const NODE_OPTIONS = `--require ${JSON.stringify(preloaded)}`;
    Object.assign(Properties.Environment.Variables, { NODE_OPTIONS, ...variables });
  }
  const id = randomUUID();
  const tables = Object.keys(changed.Resources).filter(
    (name) => changed.Resources[name]!.Type === 'AWS::DynamoDB::Table',
  );
  const renamed = tables.reduce(
    (text, name) => text.replaceAll(`"${name}"`, `"${name}${id.slice(0, 8)}"`),
    JSON.stringify(changed),
  );
  const file = join(assemblyDirectory(), `changed-${id}.json`);
  writeFileSync(file, renamed);
  return file;
}
