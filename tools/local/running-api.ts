import { inspect } from 'node:util';
import { ControlPlane } from './control-plane/control-plane.ts';
import type { Identities } from './dynamodb/identities.ts';
import { localRegion } from './dynamodb/local-client.ts';
import type { StartEnvironment } from './functions/execution-environment.ts';
import { FunctionRunner } from './functions/function-runner.ts';
import { type LambdaFunction, readFunctions } from './functions/lambda-functions.ts';
import { Gateway } from './gateway/gateway.ts';
import { readUsagePlans, TokenBuckets, UsageMeter } from './gateway/usage-plan.ts';
import type { DataDirectory } from './state/data-directory.ts';
import type { Template } from './template/template.ts';

/** The folder of each function's code, by the function's logical id. */
export type FunctionCode = ReadonlyMap<string, string>;

interface RunningApiOptions {
  readonly template: Template;
  /** The synthesized `….assets.json`, which contains the paths of the functions' code. */
  readonly assetsManifestFile: string;
  readonly dynamodbEndpoint: string;
  readonly identities: Identities;
  readonly dataDirectory: DataDirectory | undefined;
  /** The clock of tests, in milliseconds since the epoch. @default - the system's clocks */
  readonly now: (() => number) | undefined;
  readonly log: (line: string) => void;
  readonly logFunction: (functionName: string, line: string) => void;
  readonly startEnvironment: StartEnvironment | undefined;
  /** The folder of a function's code; when it returns undefined, the template's asset is used. */
  readonly codeOf: ((lambda: LambdaFunction) => string | undefined) | undefined;
}

/** A template's REST API and functions. */
export interface RunningApi {
  readonly gateway: Gateway;
  readonly controlPlane: ControlPlane;
  /** Replaces the code of functions. Requests wait until the promise has settled. */
  replaceFunctionCode(code: Promise<FunctionCode>): Promise<void>;
  /** Stops all execution environments. */
  close(): Promise<void>;
}

/** @throws TemplateError for what is not supported */
export function runApi(options: RunningApiOptions): RunningApi {
  const { template, assetsManifestFile, now, log, codeOf } = options;
  const usagePlans = readUsagePlans(template);
  const controlPlane = new ControlPlane({ usagePlans, directory: options.dataDirectory });
  const buckets = new TokenBuckets(now ?? (() => performance.now()));
  const runner = new FunctionRunner({
    variablesOf: (lambda) => variablesOf(lambda, options),
    log: options.logFunction,
    startEnvironment: options.startEnvironment,
  });
  const gateway = new Gateway(template, {
    functions: readFunctions(template, assetsManifestFile, codeOf),
    usage: new UsageMeter(usagePlans, controlPlane, buckets, now ?? Date.now),
    buckets,
    invoke: (lambda, invocation, signal) => runner.invoke(lambda, invocation, signal),
    logFault: ({ type, cause }, requestId) => {
      if (cause) log(`gateway: ${requestId} ${type}: ${inspect(cause)}`);
    },
  });
  return {
    gateway,
    controlPlane,
    replaceFunctionCode: (code) => runner.replaceCode(code),
    close: () => runner.close(),
  };
}

/** The environment variables that Lambda sets: credentials, Region, and DynamoDB's endpoint. */
function variablesOf(
  { logicalId }: LambdaFunction,
  { identities, dynamodbEndpoint }: RunningApiOptions,
): Record<string, string> {
  const { accessKeyId, secretAccessKey } = identities.functions.get(logicalId)!.credentials;
  return {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: 'local',
    AWS_REGION: localRegion,
    AWS_DEFAULT_REGION: localRegion,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
  };
}
