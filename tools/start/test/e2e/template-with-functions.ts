import { type StageName, template } from '../../../../test/helpers/synthesized.ts';

/**
 * The template of a stage as JSON, whose functions a test has changed.
 *
 * @param variables environment variables for all of them
 * @param properties other properties of all of them
 */
export function templateWithFunctions(
  stage: StageName,
  variables: Readonly<Record<string, string>>,
  properties: object = {},
): string {
  const changed = template(stage);
  for (const { Type, Properties } of Object.values(changed.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    Object.assign(Properties, properties);
    Object.assign(Properties.Environment.Variables, variables);
  }
  return JSON.stringify(changed);
}

/**
 * The variable by which Node loads a CommonJS file before a function's own code. Functions run in
 * threads, so this is how a test reaches what is in them.
 */
export function preloading(file: string) {
  return { NODE_OPTIONS: `--require ${JSON.stringify(file)}` };
}
