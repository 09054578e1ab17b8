import { resourcesOfType, type StageName, type TemplateResource } from '../helpers/synthesized.ts';

/**
 * A template's value in readable form: intrinsic functions are written as `${Name}` or
 * `${Name.Attribute}`, and logical ids have no hashes.
 */
// biome-ignore lint/suspicious/noExplicitAny: a template is JSON of hundreds of shapes
export function readable(value: any): any {
  if (Array.isArray(value)) return value.map(readable);
  if (value === null || typeof value !== 'object') return value;
  if ('Ref' in value) return `\${${withoutHash(value.Ref)}}`;
  if ('Fn::GetAtt' in value) {
    const [logicalId, attribute] = value['Fn::GetAtt'];
    return `\${${withoutHash(logicalId)}.${attribute}}`;
  }
  if ('Fn::Join' in value) {
    const [delimiter, parts] = value['Fn::Join'];
    return parts.map(readable).join(delimiter);
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, readable(part)]));
}

/** All resources of one type in readable form, by logical id without hash. */
export function resources(stage: StageName, type: string): Record<string, TemplateResource> {
  const found = resourcesOfType(stage, type);
  return Object.fromEntries(found.map(([id, resource]) => [withoutHash(id), readable(resource)]));
}

/** The properties of all resources of one type in readable form, by logical id without hash. */
// biome-ignore lint/suspicious/noExplicitAny: CloudFormation's own shapes
export function properties(stage: StageName, type: string): Record<string, any> {
  const entries = Object.entries(resources(stage, type));
  return Object.fromEntries(entries.map(([id, { Properties }]) => [id, Properties]));
}

// The CDK appends eight hexadecimal digits to a logical id, and more for versions and deployments.
function withoutHash(logicalId: string): string {
  return logicalId.replace(/([0-9A-F]{8})([0-9a-f]{32})?$/, '');
}
