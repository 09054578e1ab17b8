import { TemplateError } from './template-error.ts';

/**
 * Stops at a nested property that the local run does not know: it would do something in the cloud
 * and nothing here.
 *
 * @param path where the object stands in its resource, for the error message
 * @param known the names of the properties, with spaces between
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

/** A long list of names, as a text with spaces or lines between them. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
