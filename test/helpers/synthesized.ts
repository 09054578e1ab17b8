import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stackName } from '../../lib/settings/names.ts';
import { type StageName, stageNames } from '../../lib/settings/stages.ts';

export { type StageName, stageNames };

/** A resource of a template. `Properties` include intrinsic functions. */
export interface TemplateResource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON of hundreds of shapes
  readonly Properties: Record<string, any>;
  readonly DependsOn?: readonly string[];
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly UpdatePolicy?: unknown;
}

export interface Template {
  readonly Description?: string;
  readonly Resources: Record<string, TemplateResource>;
  readonly Outputs: Record<string, { readonly Value: unknown }>;
}

/** The cloud assembly that this test run synthesized: templates, asset manifests, assets. */
export function assemblyDirectory(): string {
  const directory = process.env.SYNTHESIZED_DIRECTORY;
  if (!directory) throw new Error('SYNTHESIZED_DIRECTORY is not set: global-setup.ts has not run');
  return directory;
}

export function templateFile(stage: StageName): string {
  return join(assemblyDirectory(), `${stackName(stage)}.template.json`);
}

export function template(stage: StageName): Template {
  return JSON.parse(readFileSync(templateFile(stage), 'utf8'));
}

/** The resources of one type, by logical id. */
export function resourcesOfType(stage: StageName, type: string): [string, TemplateResource][] {
  return Object.entries(template(stage).Resources).filter(([, { Type }]) => Type === type);
}
