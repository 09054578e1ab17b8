import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TemplateError, unsupported } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';
import {
  FunctionCode,
  type FunctionSurroundings,
  type InvocationResult,
  type LambdaFunction,
} from './function-code.ts';

/** A reference to a function in an integration or authorizer. */
interface InvocationTarget {
  readonly isStreaming: boolean;
  /** Resolves with the function's result, or when its stream begins. Never rejects. */
  invoke(event: object): Promise<InvocationResult>;
}

/** Finds the function of a URI in the template. @throws TemplateError if there is none */
export type TargetOf = (uri: unknown, logicalId: string) => InvocationTarget;

// The default of CloudFormation's AWS::Lambda::Function.
const defaultMemorySizeMb = 128;

// The API version is different for streaming invocations.
const invocationUri =
  /^arn:[^:]*:apigateway:[^:]*:lambda:path\/(?:2015-03-31\/functions\/(?<arn>[^/]+)\/invocations|2021-11-15\/functions\/(?<streamedArn>[^/]+)\/response-streaming-invocations)$/;

/**
 * Loads the template's functions.
 *
 * @param assetsManifestFile the synthesized `….assets.json`, which contains the paths of the code
 * @throws TemplateError if a function has no asset or is not supported
 */
export function loadFunctions(
  template: Template,
  assetsManifestFile: string,
  surroundings: FunctionSurroundings,
): TargetOf {
  const directories = assetDirectories(assetsManifestFile);
  const byArn = new Map(
    template.ofType('AWS::Lambda::Function').map((resource) => {
      const code = new FunctionCode(readFunction(resource, directories), surroundings);
      return [resource.attribute('Arn'), code];
    }),
  );
  const aliasArns = new Set(template.ofType('AWS::Lambda::Alias').map(({ ref }) => ref));

  return (uri, logicalId) => {
    const { arn, streamedArn } = invocationUri.exec(String(uri))?.groups ?? {};
    const invokedArn = arn ?? streamedArn ?? '';
    const unqualified = invokedArn.split(':').slice(0, 7).join(':');
    const code = byArn.get(unqualified);
    if (code && (unqualified === invokedArn || aliasArns.has(invokedArn))) {
      return {
        isStreaming: streamedArn !== undefined,
        invoke: (event) => code.invoke(event, invokedArn),
      };
    }
    throw new TemplateError(logicalId, `invokes no function of this template: ${uri}`);
  };
}

/** The folders of the functions' code by the keys of their assets. Each asset has one destination. */
function assetDirectories(assetsManifestFile: string): Map<string, string> {
  const { files } = JSON.parse(readFileSync(assetsManifestFile, 'utf8'));
  const assets = Object.values<{ source: { path: string }; destinations: object }>(files);
  return new Map(
    assets.map(({ source, destinations }) => [
      Object.values(destinations)[0].objectKey,
      join(dirname(assetsManifestFile), source.path),
    ]),
  );
}

function readFunction(
  { logicalId, ref, property }: TemplateResource,
  directories: ReadonlyMap<string, string>,
): LambdaFunction {
  const code = property('Code');
  const codeDirectory = directories.get(code.S3Key);
  if (!codeDirectory) throw new TemplateError(logicalId, `there is no asset ${code.S3Key}`);
  const runtime = String(property('Runtime'));
  if (!runtime.startsWith('nodejs')) {
    throw unsupported(logicalId, `the runtime ${runtime}`);
  }
  return {
    logicalId,
    name: ref,
    codeDirectory,
    handler: property('Handler'),
    memorySizeMb: Number(property('MemorySize') ?? defaultMemorySizeMb),
    environment: property('Environment')?.Variables ?? {},
  };
}
