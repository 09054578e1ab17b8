import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inspect, types } from 'node:util';
import { compileFunction, constants } from 'node:vm';
import { lineOutput, sourcePositions } from './function-output.ts';
import { awslambda, type Handler, isStreaming, ResponseStream } from './response-stream.ts';

/** A Lambda function as the template defines it. */
export interface LambdaFunction {
  readonly logicalId: string;
  readonly name: string;
  /** The folder with the code, which Lambda would unpack to `/var/task`. */
  readonly codeDirectory: string;
  /** Such as `index.handler`. */
  readonly handler: string;
  readonly memorySizeMb: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** The surroundings of functions: their log, their variables and their clock. */
export interface FunctionSurroundings {
  /** The environment variables that Lambda would add to a function's own. */
  readonly variablesOf: (lambda: LambdaFunction) => Readonly<Record<string, string>>;
  /** Milliseconds since the epoch, for the functions' `Date`. */
  readonly now: () => number;
  readonly log: (functionName: string, line: string) => void;
}

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

interface Running {
  readonly log: (text: string) => void;
  /** Ends the invocation with an error, if it has not ended. */
  readonly fail: (error: FunctionError) => void;
}

// Lambda's maximum. A local function has no time limit, because a debugger may pause it.
const remainingMs = 900_000;

/** The function and the invocation to which the running code belongs. */
const running = new AsyncLocalStorage<Running>();

/** Logs an error that a function did not catch, and ends its invocation. Returns false for an error of the run itself. */
export function reportUncaught(error: unknown): boolean {
  const own = running.getStore();
  own?.log(`Uncaught ${inspect(error)}`);
  own?.fail(describeError(error));
  return own !== undefined;
}

/**
 * A function's code, loaded into this process. `process`, `console`, `Date` and `awslambda` are the function's
 * own; all other globals are the run's.
 */
export class FunctionCode {
  readonly #lambda: LambdaFunction;
  readonly #log: (text: string) => void;
  /** The handler, or the error of every invocation. */
  readonly #loaded: { readonly handler: Handler } | { readonly error: FunctionError };

  constructor(lambda: LambdaFunction, surroundings: FunctionSurroundings) {
    this.#lambda = lambda;
    const [file, name] = lambda.handler.split('.');
    const filename = join(lambda.codeDirectory, `${file}.js`);
    const toSource = sourcePositions(filename);
    this.#log = (text) => {
      for (const line of toSource(text).split('\n')) surroundings.log(lambda.name, line);
    };
    this.#loaded = running.run({ log: this.#log, fail: () => {} }, () => {
      try {
        return { handler: handlerOf(this.#load(filename, surroundings)[name!], lambda) };
      } catch (thrown) {
        return { error: this.#report('Init Error', thrown) };
      }
    });
  }

  /** Resolves with the result or, if the function streams, with the first chunk. Never rejects. */
  invoke(event: object, invokedFunctionArn: string): Promise<InvocationResult> {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const stream: ResponseStream = new ResponseStream(() => resolve({ stream: stream.readable }));
    const fail = (error: FunctionError) => {
      resolve({ error });
      stream.abort(`${error.errorType}: ${error.errorMessage}`);
    };
    running.run({ log: this.#log, fail }, async () => {
      try {
        if ('error' in this.#loaded) return fail(this.#loaded.error);
        const { handler } = this.#loaded;
        const context = this.#contextOf(invokedFunctionArn);
        const received = JSON.parse(JSON.stringify(event));
        if (isStreaming(handler)) {
          await handler(received, stream, context);
          await finished(stream);
        } else {
          const result = await handler(received, context);
          resolve({ payload: JSON.stringify(result ?? null) });
        }
      } catch (thrown) {
        fail(this.#report('Invoke Error', thrown));
      }
    });
    return promise;
  }

  /** Loads a file as CommonJS, as Lambda does, because `/var/task` contains no package.json. */
  #load(filename: string, { variablesOf, now }: FunctionSurroundings): Record<string, unknown> {
    const lambda = this.#lambda;
    const output = lineOutput(this.#log);
    const env = { ...runtimeVariables(lambda), ...variablesOf(lambda), ...lambda.environment };
    const module: { exports: Record<string, unknown> } = { exports: {} };
    const ownProcess: NodeJS.Process = Object.create(process, {
      env: { value: env },
      stdout: { value: output },
      stderr: { value: output },
    });
    const require = createRequire(filename);
    const parameters = {
      exports: module.exports,
      require: (id: string) => (/^(?:node:)?process$/.test(id) ? ownProcess : require(id)),
      module,
      __filename: filename,
      __dirname: dirname(filename),
      process: ownProcess,
      console: new Console(output),
      Date: now === Date.now ? Date : dateBy(now),
      awslambda,
    };
    const code = readFileSync(filename, 'utf8');
    const evaluate = compileFunction(code, Object.keys(parameters), {
      filename,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    evaluate(...Object.values(parameters));
    return module.exports;
  }

  #report(kind: 'Init Error' | 'Invoke Error', thrown: unknown): FunctionError {
    const error = describeError(thrown);
    this.#log(`${kind} ${JSON.stringify(error)}`);
    return error;
  }

  #contextOf(invokedFunctionArn: string): object {
    return {
      awsRequestId: randomUUID(),
      functionName: this.#lambda.name,
      functionVersion: '$LATEST',
      getRemainingTimeInMillis: () => remainingMs,
      invokedFunctionArn,
      memoryLimitInMB: String(this.#lambda.memorySizeMb),
    };
  }
}

function handlerOf(exported: unknown, { handler }: LambdaFunction): Handler {
  if (typeof exported === 'function') return exported as Handler;
  const error = new Error(`${handler} is undefined or not a function`);
  throw Object.assign(error, { name: 'Runtime.HandlerNotFound' });
}

/** @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html */
function runtimeVariables(lambda: LambdaFunction): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memorySizeMb),
    AWS_LAMBDA_FUNCTION_NAME: lambda.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    LAMBDA_TASK_ROOT: lambda.codeDirectory,
    TZ: ':UTC',
    _HANDLER: lambda.handler,
  };
}

function dateBy(now: () => number): DateConstructor {
  return new Proxy(Date, {
    construct: (system, fields) =>
      Reflect.construct(system, fields.length === 0 ? [now()] : fields),
    get: (system, name) => (name === 'now' ? now : Reflect.get(system, name)),
  });
}

function describeError(thrown: unknown): FunctionError {
  if (!types.isNativeError(thrown)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  const { name, message, stack } = thrown;
  return { errorType: name, errorMessage: message, trace: String(stack).split('\n') };
}
