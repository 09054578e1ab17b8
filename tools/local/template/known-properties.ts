import { TemplateError } from './template-error.ts';

/**
 * Rejects a nested property that the local run does not know, because it might have an effect in the
 * cloud that the local run lacks.
 *
 * @param path the path of the object within its resource, for the error message
 * @param known the names of the known properties, separated by spaces
 * @throws TemplateError naming the resource and the property
 */
export function checkKnownProperties(
  logicalId: string,
  path: string,
  value: object,
  known: string,
): void {
  const names = words(known);
  for (const [name, setting] of Object.entries(value)) {
    if (names.includes(name) || setting === undefined) continue;
    throw new TemplateError(logicalId, `the property ${path}.${name} is not supported locally`);
  }
}

/** Splits a text at spaces and line breaks, for a list of many names. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
