import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { TemplateError, unsupported } from '../errors.ts';
import type { Template, TemplateResource } from '../template/template.ts';

/** A Lambda function as the template defines it. */
export interface LambdaFunction {
  readonly logicalId: string;
  readonly name: string;
  /** The folder with the code, which Lambda would unpack to `/var/task`. */
  readonly codeDirectory: string;
  /** Such as `index.handler`. */
  readonly handler: string;
  readonly memorySizeMb: number;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** The maximum number of execution environments. @default - the runner's limit */
  readonly reservedConcurrency?: number;
}

/** A reference to a function in an integration or authorizer. */
export interface InvocationTarget {
  readonly isStreaming: boolean;
  /**
   * Resolves with the function's result, or when its stream begins.
   *
   * @param signal cancels the invocation if it has not begun; otherwise it continues
   * @param caller whose API key the request is counted for; nobody's by default
   */
  invoke(event: object, signal: AbortSignal, caller?: string): Promise<InvocationResult>;
}

/** Finds the function of a URI in the template. @throws TemplateError if there is none */
export type TargetOf = (uri: unknown, logicalId: string) => InvocationTarget;

/** The error of a function, in Lambda's format and wording. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** The result of an invocation: JSON, a stream of bytes, or an error. */
export type InvocationResult =
  | { readonly payload: string }
  | { readonly stream: Readable }
  | { readonly error: FunctionError };

export interface Invocation {
  /** The event as JSON. */
  readonly event: string;
  readonly requestId: string;
  /** The function's ARN, including the alias of the reference. */
  readonly invokedArn: string;
  readonly caller?: string | undefined;
}

/** Runs an invocation of a function. */
export type Invoke = (
  lambda: LambdaFunction,
  invocation: Invocation,
  signal: AbortSignal,
) => Promise<InvocationResult>;

// The defaults of CloudFormation's AWS::Lambda::Function.
const defaultMemorySizeMb = 128;
const defaultTimeoutSeconds = 3;

// The API version is different for streaming invocations.
const invocationUri =
  /^arn:[^:]*:apigateway:[^:]*:lambda:path\/(?:2015-03-31\/functions\/(?<arn>[^/]+)\/invocations|2021-11-15\/functions\/(?<streamedArn>[^/]+)\/response-streaming-invocations)$/;

/**
 * @param assetsManifestFile the synthesized `….assets.json`, which contains the paths of the code
 * @throws TemplateError if a function has no asset or is not supported
 */
export function readFunctions(
  template: Template,
  assetsManifestFile: string,
  invoke: Invoke,
): TargetOf {
  const directories = assetDirectories(assetsManifestFile);
  const byArn = new Map(
    template
      .ofType('AWS::Lambda::Function')
      .map((resource) => [resource.attribute('Arn'), readFunction(resource, directories)]),
  );
  const aliasArns = new Set(template.ofType('AWS::Lambda::Alias').map(({ ref }) => ref));

  return (uri, logicalId) => {
    const { arn, streamedArn } = invocationUri.exec(String(uri))?.groups ?? {};
    const invokedArn = arn ?? streamedArn ?? '';
    const unqualified = invokedArn.split(':').slice(0, 7).join(':');
    const lambda = byArn.get(unqualified);
    if (lambda && (unqualified === invokedArn || aliasArns.has(invokedArn))) {
      return {
        isStreaming: streamedArn !== undefined,
        invoke: (input, signal, caller) => {
          const event = JSON.stringify(input);
          const invocation = { event, requestId: randomUUID(), invokedArn, caller };
          return invoke(lambda, invocation, signal);
        },
      };
    }
    throw new TemplateError(logicalId, `invokes no function of this template: ${uri}`);
  };
}

/** The folders of the functions' code by the keys of their assets, each of which has one destination. */
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
    timeoutMs: Number(property('Timeout') ?? defaultTimeoutSeconds) * 1000,
    environment: property('Environment')?.Variables ?? {},
    reservedConcurrency: property('ReservedConcurrentExecutions'),
  };
}
