/**
 * `npx node tools/examples/generate-types.ts` generates the client's types from openapi.yaml. It writes them to
 * the file that it is given, and otherwise to the one that the client imports.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const contractFile = join(import.meta.dirname, '../../openapi.yaml');
const typesFile = join(import.meta.dirname, 'store-orders-api.generated.ts');

const header =
  '// Made from openapi.yaml by npx node tools/examples/generate-types.ts. Do not edit.\n\n';

/** Generates TypeScript. An int64 becomes a bigint, because a number is inexact beyond 2^53. */
async function generateTypes(): Promise<string> {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const nodes = await openapiTypescript(readFileSync(contractFile, 'utf8'), {
    transform: (schema) => (schema.format === 'int64' ? bigint : undefined),
    silent: true,
  });
  return header + astToString(nodes);
}

writeFileSync(process.argv[2] ?? typesFile, await generateTypes());
