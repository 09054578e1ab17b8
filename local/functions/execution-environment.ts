import type { Readable } from 'node:stream';
import type { LambdaFunction } from './lambda-functions.ts';

/** How a function failed, in Lambda's words. */
export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
  readonly trace?: readonly string[];
}

/** What an invocation ends with: JSON, bytes as they come, or an error. */
export type InvocationResult =
  | { readonly payload: string }
  | { readonly stream: Readable }
  | { readonly error: FunctionError };

export interface Invocation {
  /** As JSON. */
  readonly event: string;
  readonly requestId: string;
  readonly invokedArn: string;
}

/**
 * One Lambda execution environment: loads a function's code once and then serves one invocation at
 * a time, until its process ends, by itself or at the function's timeout, or until it is stopped.
 */
export interface ExecutionEnvironment {
  /** Waits for the function's code to be loaded; gives the error when that fails. */
  started(): Promise<FunctionError | undefined>;

  /**
   * Runs one invocation; there must be no other under way.
   *
   * @param onFinished told when the function is done; for a stream, that may be long after this
   *   has resolved. Not told when the environment ends instead.
   */
  invoke(invocation: Invocation, onFinished: () => void): Promise<InvocationResult>;

  /** Stops the environment, whatever it is doing. */
  stop(): Promise<void>;
}

/** What surrounds an execution environment. */
export interface Surroundings {
  /** What Lambda would add to the function's own environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Takes one line that the function logged. */
  readonly log: (line: string) => void;
  /** Told once, when the environment is gone. */
  readonly onEnd: () => void;
}

export type StartEnvironment = (
  lambda: LambdaFunction,
  surroundings: Surroundings,
) => ExecutionEnvironment;

/** Lambda gives a function's initialization ten seconds. */
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

/** The error of an invocation whose stream was destroyed before its end. */
export const responseTruncated: FunctionError = {
  errorType: 'Runtime.TruncatedResponse',
  errorMessage: 'The response ended before it was complete.',
};

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
 * All environment variables of a function: those that Lambda sets, those of the caller, its own.
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
