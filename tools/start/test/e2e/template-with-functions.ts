import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemblyDirectory, template } from '../../../../test/helpers/synthesized.ts';

/**
 * Writes the template of staging with changed functions, beside the original. Its tables have names of their
 * own, because tests of other files may share the database.
 *
 * @param variables environment variables for all functions
 * @param properties other properties of all functions
 * @returns the path of the file
 */
export function templateWithFunctions(
  variables: Readonly<Record<string, string>>,
  properties: object = {},
): string {
  const changed = template('staging');
  for (const { Type, Properties } of Object.values(changed.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    Object.assign(Properties, properties);
    Object.assign(Properties.Environment.Variables, variables);
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

/** Gives functions the time for which patient-function.cjs lets them wait for DynamoDB. */
export const patient = { Timeout: 120 };

/**
 * The variable with which Node loads a CommonJS file before a function's own code. Functions run in
 * threads, so this is how a test changes what they use.
 */
export function preloading(file: string) {
  return { NODE_OPTIONS: `--require ${JSON.stringify(file)}` };
}
