import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TemplateError } from '../errors.ts';
import type { Template } from '../template.ts';
import { type InvocationResult, loadFunction } from './function-code.ts';

/** The surroundings of all functions. */
export interface FunctionSurroundings {
  /** The variables that Lambda would add to a function's own, such as its credentials, by the function's logical id. */
  readonly variablesOf: (logicalId: string) => Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, for the functions' `Date`. */
  readonly now: () => number;
  readonly log: (functionName: string, line: string) => void;
}

/** Invokes a function. Resolves with its result, or when its stream begins. Never rejects. */
export type Invoke = (event: object) => Promise<InvocationResult>;

/** Finds the function of a URI in the template. @throws TemplateError if there is none */
export type FunctionOf = (uri: string, logicalId: string) => Invoke;

/**
 * Loads the template's functions.
 *
 * @param assetsManifestFile the synthesized `….assets.json`, which contains the paths of the code
 * @throws TemplateError if a function has no asset, or its runtime is not Node
 */
export function loadFunctions(
  template: Template,
  assetsManifestFile: string,
  { variablesOf, now, log }: FunctionSurroundings,
): FunctionOf {
  const codeDirectories = assetDirectories(assetsManifestFile);
  const functions = template
    .ofType('AWS::Lambda::Function')
    .map(({ logicalId, ref: name, property, attribute }) => {
      const codeDirectory = codeDirectories.get(property('Code').S3Key);
      if (!codeDirectory) throw new TemplateError(logicalId, 'code without an asset');
      const runtime = String(property('Runtime'));
      if (!runtime.startsWith('nodejs'))
        throw new TemplateError(logicalId, `the runtime ${runtime}`);
      const invoke = loadFunction({
        name,
        codeDirectory,
        handler: property('Handler'),
        environment: {
          AWS_LAMBDA_FUNCTION_NAME: name,
          ...variablesOf(logicalId),
          ...property('Environment')?.Variables,
        },
        now,
        log: (line) => log(name, line),
      });
      return { arn: attribute('Arn'), invoke };
    });

  return (uri, logicalId) => {
    const [, invokedArn = ''] = /\/functions\/([^/]+)\//.exec(uri) ?? [];
    // The ARN of an alias is the ARN of its function, followed by the name of the alias.
    const invoked = functions.find(({ arn }) => `${invokedArn}:`.startsWith(`${arn}:`));
    if (!invoked) throw new TemplateError(logicalId, `the URI ${uri}`);
    return (event) => invoked.invoke(event, invokedArn);
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
