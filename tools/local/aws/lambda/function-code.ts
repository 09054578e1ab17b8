import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Readable, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inspect, types } from 'node:util';
import { awslambda, type Handler, ResponseStream, streamingHandlers } from './response-stream.ts';

/** A Lambda function, and what surrounds it in a local run. */
export interface LambdaFunction {
  readonly name: string;
  /** The folder with the code, which Lambda would unpack to `/var/task`. */
  readonly codeDirectory: string;
  /** Such as `index.handler`. */
  readonly handler: string;
  /** The variables of its environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** The error of a function, in Lambda's format and wording. */
interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** The result of an invocation: JSON, a stream of bytes, or an error. */
export type InvocationResult =
  | { readonly payload: string }
  | { readonly stream: Readable }
  | { readonly error: FunctionError };

/** Invokes a function. Resolves with its result or, if it streams, with the first chunk. Never rejects. */
export type Invoke = (event: object) => Promise<InvocationResult>;

interface Running {
  readonly log: (text: string) => void;
  /** Ends the invocation with an error, if it has not ended. */
  readonly fail: (error: FunctionError) => void;
}

// Lambda's longest timeout, which is not enforced, because a debugger may pause the function.
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
 * Loads a function's code into this process. `process`, `console` and `awslambda` are the function's own; all
 * other globals are the run's. If the code cannot be loaded, every invocation fails.
 */
export function loadFunction(lambda: LambdaFunction): Invoke {
  const [file, name] = lambda.handler.split('.');
  const filename = join(lambda.codeDirectory, `${file}.js`);
  const log = (text: string) => {
    for (const line of text.split('\n')) lambda.log(line);
  };
  const report = (kind: string, thrown: unknown) => {
    const error = describeError(thrown);
    log(`${kind} ${JSON.stringify(error)}`);
    return error;
  };
  let handler: Handler;
  try {
    const exported = running.run({ log, fail: () => {} }, () => evaluate(filename, lambda, log));
    handler = exported[name!] as Handler;
    if (typeof handler !== 'function') throw new TypeError(`${lambda.handler} is not a function`);
  } catch (thrown) {
    const error = report('Init Error', thrown);
    return async () => ({ error });
  }

  return (event) => {
    const { promise, resolve } = Promise.withResolvers<InvocationResult>();
    const stream = new ResponseStream();
    // Also emitted when the stream ends without a chunk.
    stream.once('readable', () => resolve({ stream }));
    // The handler's failure is reported, so the error of its stream is ignored.
    stream.on('error', () => {});
    const fail = (error: FunctionError) => {
      resolve({ error });
      stream.destroy(new Error(`${error.errorType}: ${error.errorMessage}`));
    };
    const context = {
      awsRequestId: randomUUID(),
      functionName: lambda.name,
      getRemainingTimeInMillis: () => remainingMs,
    };
    running.run({ log, fail }, async () => {
      try {
        const received = JSON.parse(JSON.stringify(event));
        if (streamingHandlers.has(handler)) {
          await handler(received, stream, context);
          await finished(stream, { readable: false });
        } else {
          const result = await handler(received, context);
          resolve({ payload: JSON.stringify(result ?? null) });
        }
      } catch (thrown) {
        fail(report('Invoke Error', thrown));
      }
    });
    return promise;
  };
}

/**
 * Evaluates a file as CommonJS, as Lambda does, because `/var/task` contains no package.json. Returns its exports. Node
 * compiles it as one of its own modules, so stack traces and debuggers know its sources by its source map.
 */
function evaluate(
  filename: string,
  { environment }: LambdaFunction,
  log: (text: string) => void,
): Record<string, unknown> {
  const output = lineOutput(log);
  const ownProcess: NodeJS.Process = Object.create(process, {
    env: { value: { ...environment } },
    stdout: { value: output },
    stderr: { value: output },
  });
  const require = createRequire(filename);
  const module: { exports: Record<string, unknown> } = { exports: {} };
  const own = {
    exports: module.exports,
    require: (id: string) => (/^(?:node:)?process$/.test(id) ? ownProcess : require(id)),
    module,
    process: ownProcess,
    console: new Console(output),
    awslambda,
  };
  // A function in the module has the function's own globals as its parameters.
  const code = `module.exports = (${Object.keys(own)}) => {${readFileSync(filename, 'utf8')}\n};`;
  const compiled = new Module(filename) as Module & { _compile(code: string, name: string): void };
  compiled._compile(code, filename);
  compiled.exports(...Object.values(own));
  return module.exports;
}

/** A stream that passes on whole lines. */
function lineOutput(log: (line: string) => void): Writable {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop()!;
      for (const line of lines) log(line);
      done();
    },
  });
}

function describeError(thrown: unknown): FunctionError {
  if (!types.isNativeError(thrown)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  const { name, message, stack } = thrown;
  return { errorType: name, errorMessage: message, trace: String(stack).split('\n') };
}
