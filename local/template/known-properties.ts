import { TemplateError } from './template-error.ts';

/**
 * Stops at a nested property that the local run does not know: it would do something in the cloud
 * and nothing here.
 *
 * @param path where the object stands in its resource, for the error message
 * @throws TemplateError naming the resource and the property
 */
export function checkKnownProperties(
  logicalId: string,
  path: string,
  value: object,
  known: readonly string[],
): void {
  for (const [name, setting] of Object.entries(value)) {
    if (known.includes(name) || setting === undefined) continue;
    throw new TemplateError(logicalId, `the property ${path}.${name} is not supported locally`);
  }
}
