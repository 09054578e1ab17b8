import type { Readable } from 'node:stream';
import type { LambdaFunction } from './lambda-functions.ts';

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
  readonly invokedArn: string;
}

/**
 * A Lambda execution environment. It loads a function's code once and then runs one invocation at a
 * time, until its process exits, an invocation times out, or it is stopped.
 */
export interface ExecutionEnvironment {
  /** Resolves when the function's code has been loaded, with the error if that failed. */
  started(): Promise<FunctionError | undefined>;

  /**
   * Runs an invocation. The previous one must have finished.
   *
   * @param onFinished called when the function has finished, which for a stream may be long after
   *   the promise has resolved. It is not called when the environment ends instead.
   */
  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult>;

  /** Stops the environment, even during an invocation. */
  stop(): Promise<void>;
}

export interface EnvironmentOptions {
  /** The environment variables that Lambda would add to the function's own. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes a line that the function logged. */
  readonly log: (line: string) => void;
  /** Called once, when the environment has ended. */
  readonly onEnd: () => void;
}

export type StartEnvironment = (
  lambda: LambdaFunction,
  options: EnvironmentOptions,
) => ExecutionEnvironment;

/** Lambda's limit for the initialization of a function. */
export const initializationTimeoutMs = 10_000;

export const initializationTimedOut: FunctionError = {
  errorType: 'Sandbox.Timedout',
  errorMessage: 'Initialization timed out',
};

/** The error of an invocation that has reached the function's timeout. */
export function invocationTimedOut(lambda: LambdaFunction, requestId: string): FunctionError {
  const seconds = (lambda.timeoutMs / 1000).toFixed(2);
  return {
    errorType: 'Sandbox.Timedout',
    errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
  };
}

/**
 * The error of an invocation, or of a start, whose process has ended.
 *
 * @param status the process's exit code, or the signal that ended it
 * @see https://github.com/aws/aws-lambda-runtime-interface-emulator/blob/main/internal/lambda/rapid/handlers.go
 */
export function runtimeExited(status: number | string, requestId = ''): FunctionError {
  const cause = typeof status === 'number' ? `exit status ${status}` : `signal: ${status}`;
  const reason =
    status === 0
      ? 'Runtime exited without providing a reason'
      : `Runtime exited with error: ${cause}`;
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: `RequestId: ${requestId} Error: ${reason}`,
  };
}

/**
 * The heap limits with which Lambda's script `/var/runtime/bootstrap` starts Node for a function's
 * memory size: one tenth is for the young generation.
 *
 * They were read in the public base image of nodejs18.x. Those of later versions have not been
 * checked, but AWS's runtime interface client 4 expects the same options on its own command line.
 *
 * @see https://gallery.ecr.aws/lambda/nodejs
 */
export function nodeHeapLimits(memorySizeMb: number): { oldSpaceMb: number; semiSpaceMb: number } {
  const newSpaceMb = Math.floor(memorySizeMb / 10);
  return { oldSpaceMb: memorySizeMb - newSpaceMb, semiSpaceMb: Math.floor(newSpaceMb / 2) };
}

/**
 * All environment variables of a function: those of Lambda, the given ones, and the function's own.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function functionVariables(
  lambda: LambdaFunction,
  variables: Readonly<Record<string, string>>,
  logStreamName: string,
): Record<string, string> {
  return {
    AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memorySizeMb),
    AWS_LAMBDA_FUNCTION_NAME: lambda.name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${lambda.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: logStreamName,
    LAMBDA_TASK_ROOT: lambda.codeDirectory,
    TZ: ':UTC',
    _HANDLER: lambda.handler,
    ...variables,
    ...lambda.environment,
  };
}
