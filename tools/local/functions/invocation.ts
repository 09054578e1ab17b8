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

/** An invocation of a function. */
export interface Invocation {
  /** The event as JSON. */
  readonly event: string;
  readonly requestId: string;
  readonly invokedArn: string;
  /** Whose API key the request is counted for. @default - nobody's */
  readonly caller?: string | undefined;
}

/**
 * Invokes a function. Resolves with its result, or when its stream begins.
 *
 * @param signal cancels the invocation if it has not begun; otherwise it continues
 */
export type Invoke = (
  lambda: LambdaFunction,
  invocation: Invocation,
  signal: AbortSignal,
) => Promise<InvocationResult>;
