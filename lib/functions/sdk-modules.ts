import { join } from 'node:path';
import type { Replacement } from './replace-modules.ts';

const client = '@aws-sdk/client-dynamodb';
const awsCore = '@aws-sdk/core/dist-es/submodules';
const smithyCore = '@smithy/core/dist-es/submodules';

/**
 * The modules of the AWS SDK that the functions' bundles contain in another form, by path below
 * `node_modules`. They are about a third of what the SDK would add, and Node would read and compile them at
 * each cold start. What is left out throws if it is called.
 *
 * `createDynamoDbClient` in lambdas/shared/dynamodb.ts gives the settings that make these modules
 * unnecessary.
 */
export const replacedSdkModules: Readonly<Record<string, Replacement>> = {
  // The client has its own retry strategy, `boundedRetries`.
  [`${smithyCore}/retry/util-retry/StandardRetryStrategy.js`]: leftOut,
  [`${smithyCore}/retry/util-retry/AdaptiveRetryStrategy.js`]: leftOut,

  // The client is given a Region, and ignores endpoints in configuration files, which do not exist.
  [`${smithyCore}/config/config-resolver/regionConfig/getInstanceMetadataRegion.js`]: leftOut,
  [`${smithyCore}/endpoints/middleware-endpoint/adaptors/getEndpointFromConfig.js`]: leftOut,
  [`${smithyCore}/config/node-config-provider/configLoader.js`]: stub('config-loader.ts'),

  // The endpoint is the configured one or the Region's.
  [`${client}/dist-es/endpoint/endpointResolver.js`]: stub('endpoint-resolver.ts'),
  [`${awsCore}/client/util-endpoints/lib/aws/partitions.js`]: leftOut,
  [`${smithyCore}/endpoints/middleware-endpoint/service-customizations/s3.js`]: leftOut,
  [`${smithyCore}/protocols/HttpBindingNormalizedSchema.js`]: stub('http-bindings.ts'),

  // Node has SHA-256. This implementation is for a Node that was built without OpenSSL.
  [`${smithyCore}/checksum/sha256/Sha256Js.js`]: leftOut,
  [`${smithyCore}/serde/uuid/v4.js`]: stub('uuid.ts'),
  '@smithy/signature-v4/dist-es/HeaderFormatter.js': stub('header-formatter.ts'),

  // No answer to a read or a write of items contains a time. The SDK also reads the time in a
  // `Retry-After` header, does without it if that fails, and `boundedRetries` does not use it.
  [`${smithyCore}/serde/date-utils.js`]: leftOut,
  [`${awsCore}/client/middleware-recursion-detection/getRecursionDetectionPlugin.js`]:
    stub('recursion-detection.ts'),

  [`${client}/dist-es/schemas/schemas_0.js`]: withoutUnusedSchemas,
  // The client states its version in the `User-Agent` header, and needs nothing else of this file.
  [`${client}/package.json`]: (source) => JSON.stringify({ version: JSON.parse(source).version }),
};

/** Replaces everything that a module exports by functions that throw. */
function leftOut(source: string): string {
  const names = source.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm);
  const functions = [...names].map(
    ([, name]) =>
      `export function ${name}() { throw new Error('${name} is left out: see lib/functions/sdk-modules.ts'); }`,
  );
  return functions.join('\n');
}

function stub(file: string): Replacement {
  const path = JSON.stringify(join(import.meta.dirname, 'stubs', file));
  return () => `export * from ${path};`;
}

/** The classes of errors that the functions ask for. They tell all other errors by name and status. */
export const knownErrors = ['ConditionalCheckFailedException'];

/**
 * Lets esbuild remove the schemas of operations and errors that a function does not use. The SDK
 * registers the classes of all errors; an error whose class is not registered is thrown as a
 * `DynamoDBServiceException` with the same name, message and status. Keys are written as literals,
 * because esbuild keeps an unused object with a computed key.
 */
function withoutUnusedSchemas(source: string): string {
  const constants = source.matchAll(/^const (\w+) = ("[^"]*");$/gm);
  const literals = new Map([...constants].map(([, name, literal]) => [name, literal]));
  return source
    .replaceAll(/\[(\w+)\]:/g, (key, name) => (literals.has(name) ? `${literals.get(name)}:` : key))
    .replaceAll(/^n0_registry\.registerError\(\w+\$, (\w+)\);$/gm, (statement, name) =>
      knownErrors.includes(name) ? statement : '',
    );
}
