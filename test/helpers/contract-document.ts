import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assemblyDirectory, contractJson } from './synthesized.ts';

/**
 * The published contract, `openapi.yaml`, which `global-setup.ts` has parsed once for all test files.
 */
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of hundreds of shapes
export const contractDocument: any = JSON.parse(
  readFileSync(join(assemblyDirectory(), contractJson), 'utf8'),
);
