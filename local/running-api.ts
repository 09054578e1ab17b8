import { isDeepStrictEqual } from 'node:util';
import { ControlPlane } from './control-plane/control-plane.ts';
import type { GuardThread } from './dynamodb/guard-thread.ts';
import { createIdentities, type Identities } from './dynamodb/identities.ts';
import { localRegion } from './dynamodb/local-region.ts';
import type { StartEnvironment } from './functions/execution-environment.ts';
import { FunctionRunner } from './functions/function-runner.ts';
import {
  type LambdaFunction,
  type LambdaFunctions,
  readFunctions,
} from './functions/lambda-functions.ts';
import { Gateway } from './gateway/gateway.ts';
import { readUsagePlans, UsageMeter } from './gateway/usage-plan.ts';
import type { GatewayState } from './state/gateway-state.ts';
import type { Template } from './template/template.ts';

/** The folder of each function's code, by the function's logical id. */
export type FunctionCode = ReadonlyMap<string, string>;

/** A template and its synthesized `….assets.json`, which contains the paths of the code. */
interface TemplateVersion {
  readonly template: Template;
  readonly assetsManifestFile: string;
}

interface RunningApiOptions {
  readonly dynamodbEndpoint: string;
  readonly identities: Identities;
  readonly guard: GuardThread;
  readonly state: GatewayState;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: (line: string) => void;
  readonly logFunction: (functionName: string, line: string) => void;
  readonly startEnvironment: StartEnvironment | undefined;
  /** The folder of a function's code; when it returns undefined, the template's asset is used. */
  readonly codeOf: ((lambda: LambdaFunction) => string | undefined) | undefined;
}

/** A template's REST API and functions, both of which can be replaced while requests are served. */
export class RunningApi {
  readonly controlPlane: ControlPlane;
  readonly #options: RunningApiOptions;
  readonly #runner: FunctionRunner;
  #identities: Identities;
  #functions: LambdaFunctions;
  #gateway: Gateway;
  #lastChange: Promise<unknown> = Promise.resolve();

  /** @throws TemplateError for what is not supported */
  constructor(version: TemplateVersion, options: RunningApiOptions) {
    const { now, state, logFunction, startEnvironment } = options;
    this.#options = options;
    this.#identities = options.identities;
    this.controlPlane = new ControlPlane({
      usagePlans: readUsagePlans(version.template),
      now,
      state: state.keys,
      onChange: (keys) => state.saveKeys(keys),
    });
    this.#runner = new FunctionRunner({
      variablesOf: (lambda) => this.#variablesOf(lambda),
      log: logFunction,
      startEnvironment,
    });
    this.#functions = this.#readFunctions(version);
    this.#gateway = this.#createGateway(version.template, this.#functions);
  }

  /** The gateway of the template that was loaded last. */
  get gateway(): Gateway {
    return this.#gateway;
  }

  /**
   * Replaces the code of functions. Requests that arrive before the new code is ready wait for it,
   * up to a limit.
   *
   * @throws Error when the promise rejects or the code cannot be loaded; then nothing is replaced
   */
  replaceFunctionCode(code: Promise<FunctionCode>): Promise<void> {
    const changed = Promise.all([code, this.#lastChange]).then(([directories]) =>
      this.#functions.all
        .filter(({ logicalId }) => directories.has(logicalId))
        .map((lambda) => ({ ...lambda, codeDirectory: directories.get(lambda.logicalId)! })),
    );
    const replaced = this.#runner.replace(changed).then(async () => {
      const byId = new Map((await changed).map((lambda) => [lambda.logicalId, lambda]));
      const all = this.#functions.all.map((lambda) => byId.get(lambda.logicalId) ?? lambda);
      this.#functions = { ...this.#functions, all };
    });
    return this.#inTurn(replaced);
  }

  /**
   * Replaces the template: its routes, settings, permissions and functions.
   *
   * @throws TemplateError for what is not supported, and Error when a function cannot be loaded; then
   *   nothing is replaced
   */
  replaceTemplate(version: TemplateVersion): Promise<void> {
    return this.#inTurn(this.#lastChange.then(() => this.#replaceTemplate(version)));
  }

  /** Stops all execution environments. */
  close(): Promise<void> {
    return this.#runner.close();
  }

  /** Makes the next change start after this one, whether this one fails or not. */
  #inTurn(change: Promise<void>): Promise<void> {
    this.#lastChange = change.catch(() => {});
    return change;
  }

  async #replaceTemplate(version: TemplateVersion): Promise<void> {
    const { template } = version;
    const functions = this.#readFunctions(version);
    const gateway = this.#createGateway(template, functions);
    const earlier = this.#identities;
    const running = new Map(this.#functions.all.map((lambda) => [lambda.logicalId, lambda]));
    const changed = functions.all.filter(
      (lambda) => !isDeepStrictEqual(lambda, running.get(lambda.logicalId)),
    );
    try {
      await this.#useIdentities(createIdentities(template, earlier));
      await this.#runner.replace(Promise.resolve(changed));
    } catch (error) {
      await this.#useIdentities(earlier);
      throw error;
    }
    this.controlPlane.replaceUsagePlans(readUsagePlans(template));
    this.#functions = functions;
    this.#gateway = gateway;
  }

  async #useIdentities(identities: Identities): Promise<void> {
    this.#identities = identities;
    await this.#options.guard.replaceIdentities(identities);
  }

  #readFunctions({ template, assetsManifestFile }: TemplateVersion): LambdaFunctions {
    return readFunctions(template, assetsManifestFile, this.#options.codeOf);
  }

  #createGateway(template: Template, functions: LambdaFunctions): Gateway {
    const { state, now, log } = this.#options;
    const usagePlans = readUsagePlans(template);
    return new Gateway(template, {
      functions,
      usage: new UsageMeter(usagePlans, this.controlPlane, now, state.usage, () =>
        state.saveUsageSoon(),
      ),
      invoke: (lambda, invocation, signal) => this.#runner.invoke(lambda, invocation, signal),
      now,
      logFault: ({ type, cause }, requestId) => {
        if (cause) log(`gateway: ${requestId} ${type}: ${causeText(cause)}`);
      },
    });
  }

  /** The environment variables that Lambda sets: credentials, Region, and DynamoDB's endpoint. */
  #variablesOf({ logicalId }: LambdaFunction): Record<string, string> {
    const { accessKeyId, secretAccessKey } = this.#identities.functions.get(logicalId)!.credentials;
    return {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: 'local',
      AWS_REGION: localRegion,
      AWS_DEFAULT_REGION: localRegion,
      AWS_ENDPOINT_URL_DYNAMODB: this.#options.dynamodbEndpoint,
    };
  }
}

function causeText(cause: unknown): string {
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === 'string' ? cause : JSON.stringify(cause);
}
