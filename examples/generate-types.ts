/** `node examples/generate-types.ts` generates the client's types from openapi.yaml. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const contractFile = join(import.meta.dirname, '../openapi.yaml');
export const typesFile = join(import.meta.dirname, 'store-orders-api.generated.ts');

const header = '// Made from openapi.yaml by examples/generate-types.ts. Do not edit.\n\n';

/** Generates TypeScript. An int64 becomes a bigint, because a number is inexact beyond 2^53. */
export async function generateTypes(): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const nodes = await openapiTypescript(readFileSync(contractFile, 'utf8'), {
    transform: (schema) => (schema.format === 'int64' ? bigint : undefined),
    silent: true,
  });
  return header + astToString(nodes);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(typesFile, await generateTypes());
}
