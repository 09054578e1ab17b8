import { type StageName, template } from '../synthesized.ts';

/**
 * The template of a stage as JSON, with functions for which Node loads a CommonJS file before their
 * own code. Functions run in threads, so this is how a test reaches what is in them.
 *
 * @param variables environment variables for that file
 */
export function preloadingTemplate(
  stage: StageName,
  file: string,
  variables: Readonly<Record<string, string>> = {},
): string {
  const changed = template(stage);
  for (const { Type, Properties } of Object.values(changed.Resources)) {
    if (Type !== 'AWS::Lambda::Function') continue;
    const { Variables } = Properties.Environment;
    const required = `--require ${JSON.stringify(file)}`;
    const NODE_OPTIONS = [Variables.NODE_OPTIONS, required].filter(Boolean).join(' ');
    Object.assign(Variables, { NODE_OPTIONS, ...variables });
  }
  return JSON.stringify(changed);
}
