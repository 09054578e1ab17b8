import { once } from 'node:events';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import { build } from 'esbuild';
import { bundlingOptions } from '../../../lib/functions/bundling.ts';
import {
  type FunctionName,
  functionNames,
  handlerEntries,
} from '../../../lib/settings/functions.ts';
import {
  type Invocation,
  type InvocationResult,
  invocationTimedOut,
} from '../../../local/functions/execution-environment.ts';
import type { LambdaFunction } from '../../../local/functions/lambda-functions.ts';
import { timeoutDivisor } from './quick-dynamodb.ts';

type Handler = (event: unknown, ...others: unknown[]) => Promise<unknown>;
type Code = Readonly<Record<FunctionName, string>>;

const require = createRequire(import.meta.url);

/** Builds the functions' code as it is deployed, but with the client of `quick-dynamodb.ts`. */
export async function buildQuickFunctions(): Promise<Code> {
  const { outputFiles } = await build({
    ...bundlingOptions,
    sourcemap: false,
    entryPoints: Object.entries(handlerEntries).map(([out, file]) => ({ in: file, out })),
    outdir: '.',
    write: false,
    plugins: [
      { name: 'timeoutDivisor', setup: ({ onResolve }) => onResolve(dynamodbModule, takeQuickOne) },
    ],
  });
  const code = outputFiles.map(({ path, text }) => [/(\w+)\.js$/.exec(path)![1], text]);
  return Object.fromEntries(code);
}

const dynamodbModule = { filter: /\/dynamodb\.ts$/ };
const quickModule = `${import.meta.dirname}/quick-dynamodb.ts`;
const takeQuickOne = ({ importer }: { importer: string }) =>
  importer === quickModule ? undefined : { path: quickModule };

/**
 * A function that runs in this thread, because starting a thread for each of thousands of short runs
 * would take too long. It can run any number of concurrent invocations.
 */
export class QuickFunction {
  readonly #lambda: LambdaFunction;
  readonly #handler: Handler;

  constructor(lambda: LambdaFunction, code: Code, variables: Readonly<Record<string, string>>) {
    this.#lambda = lambda;
    this.#handler = load(code[nameOf(lambda)], { ...variables, ...lambda.environment });
  }

  async invoke({ event, requestId }: Invocation): Promise<InvocationResult> {
    const timeoutMs = this.#lambda.timeoutMs / timeoutDivisor;
    const deadlineMs = Date.now() + timeoutMs;
    const context = {
      awsRequestId: requestId,
      getRemainingTimeInMillis: () => deadlineMs - Date.now(),
    };
    const { promise: timedOut, resolve } = Promise.withResolvers<InvocationResult>();
    const timer = setTimeout(
      () => resolve({ error: invocationTimedOut(this.#lambda, requestId) }),
      timeoutMs,
    );
    const result = this.#run(JSON.parse(event), context).catch(functionError);
    return Promise.race([result, timedOut]).finally(() => clearTimeout(timer));
  }

  async #run(event: unknown, context: object): Promise<InvocationResult> {
    if (!isStreaming(this.#lambda)) {
      return { payload: JSON.stringify(await this.#handler(event, context)) };
    }
    const stream = new PassThrough();
    // Lambda's runtime also has a listener for errors. Without one, an error would end the process.
    stream.on('error', () => {});
    const failed = this.#handler(event, stream, context).then(
      () => new Promise<never>(() => {}),
      (error) => {
        stream.destroy(error);
        throw error;
      },
    );
    failed.catch(() => {});
    await Promise.race([once(stream, 'readable'), failed]);
    return { stream };
  }
}

function nameOf({ logicalId }: LambdaFunction): FunctionName {
  const isOfLambda = (name: string) => logicalId.toLowerCase().startsWith(name.toLowerCase());
  const name = functionNames.find(isOfLambda);
  if (name === undefined) throw new Error(`${logicalId} is none of ${functionNames.join(', ')}`);
  return name;
}

const isStreaming = (lambda: LambdaFunction) => nameOf(lambda) === 'listOrders';

function functionError(error: unknown): InvocationResult {
  const { name, message } = error as Error;
  return { error: { errorType: name, errorMessage: message } };
}

/** The global that Lambda's runtime provides to streaming functions. */
const awslambda = {
  streamifyResponse: (handler: Handler) => handler,
  HttpResponseStream: {
    from: (stream: PassThrough, prelude: object) => {
      stream.write(JSON.stringify(prelude));
      stream.write(Buffer.alloc(8));
      return stream;
    },
  },
};

/** Loads a bundle with its own environment variables and without its log. */
function load(code: string, env: object): Handler {
  const bundle = { exports: {} as { handler: Handler } };
  const ownProcess = Object.create(process, {
    env: { value: env },
    stdout: { value: { write: () => true } },
  });
  new Function('module', 'exports', 'require', 'process', 'awslambda', code)(
    bundle,
    bundle.exports,
    require,
    ownProcess,
    awslambda,
  );
  return bundle.exports.handler;
}
