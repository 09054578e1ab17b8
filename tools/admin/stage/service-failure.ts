import { InterruptedError, OperatorError, reasonOf } from '../../shared/errors.ts';

/** The kinds of failed calls, each with the problem and with what an operator can do before a repetition. */
const forms = {
  unconfirmed: ['{call} may or may not have been done', 'check the network'],
  noCredentials: [
    'there are no credentials that AWS accepts',
    'sign in with "aws sso login", or set AWS_PROFILE to a profile that "aws configure list-profiles" lists. ' +
      'For a profile with MFA, run eval "$(aws configure export-credentials --format env)", and unset AWS_PROFILE',
  ],
  accessDenied: [
    'the credentials do not allow {call}',
    'ask for permission (docs/operating.md, "What an operator may do"), or set AWS_PROFILE to another profile',
  ],
  throttled: ['{call} is throttled', 'wait a minute'],
  noResponse: ['{call} got no response', 'correct the network or the proxy (HTTPS_PROXY)'],
  callFailed: [
    '{call} failed',
    "look for outages on https://health.aws.amazon.com, and check the stack in CloudFormation's console",
  ],
} as const;

type FailureKind = keyof typeof forms;

/** A failure of a service, the connection to it, or the settings for it. */
export type ServiceFailure = NonNullable<ReturnType<typeof failureOf>>;

const calls = new WeakMap<object, string>();

/** Records the call that failed with an error, such as `DynamoDB Scan`, because the SDK's errors do not name it. */
export function recordCall(error: unknown, call: string): void {
  if (typeof error === 'object' && error !== null) calls.set(error, call);
}

/** It is unknown whether a call was done, because its response was lost. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError';
  /** Whether the operator has interrupted the call. */
  readonly isInterrupted: boolean;

  /** @param reason why there is no response */
  constructor(operation: string, reason: unknown) {
    // Not the cause, because the SDK repeats an error whose cause is a lost connection.
    const isInterrupted = reason instanceof InterruptedError;
    super(isInterrupted ? reason.problem : plainReason(reason));
    this.isInterrupted = isInterrupted;
    recordCall(this, `DynamoDB ${operation}`);
  }
}

/** Whether a change may have been made although the command has failed. */
export function mayHaveTakenEffect(thrown: unknown): boolean {
  return errorsBehind(thrown).some((error) => error instanceof UnconfirmedError);
}

/** Whether a command has failed because the operator interrupted it. */
export function isInterruption(thrown: unknown): boolean {
  return errorsBehind(thrown).some(
    (error) =>
      error instanceof InterruptedError ||
      (error instanceof UnconfirmedError && error.isInterrupted),
  );
}

/** An error and its causes. */
export function errorsBehind(thrown: unknown): unknown[] {
  return thrown === undefined ? [] : [thrown, ...errorsBehind(Object(thrown).cause)];
}

/** Classifies an error of a call; undefined for any other error. */
export function failureOf(error: unknown) {
  const kind = kindOf(error);
  if (kind === undefined) return undefined;
  const [problem, remedy] = forms[kind];
  const call = calls.get(Object(error)) ?? 'the call';
  return { kind, problem: `${problem.replace('{call}', call)} (${plainReason(error)})`, remedy };
}

const unknownCredentials =
  /Expired|(?:Credentials|Token)Provider|UnrecognizedClient|InvalidClientToken|InvalidAccessKey|Signature/;

const isThrottled = /Throttl|TooManyRequests|ThroughputExceeded|RequestLimit/;

/** In the error of a change that AWS refuses only because of another change that is under way. */
export const otherIsUnderWay = /TransactionConflict|concurrent modification/;

function kindOf(error: unknown): FailureKind | undefined {
  if (error instanceof UnconfirmedError) return 'unconfirmed';
  // A command's own error is not the failure of a call, but its cause can be one.
  if (error instanceof OperatorError) return undefined;
  const { name = '', message = '', path, $metadata } = Object(error);
  const isOfCall = calls.has(Object(error)) || $metadata !== undefined;
  // The message of any other error is not searched, because it can quote a file.
  const text = isOfCall ? `${name} ${message}` : name;
  // A call opens a file only to read a token, so an error with a path means that there is no token.
  const isOfToken = isOfCall && path !== undefined;
  if (isOfToken || unknownCredentials.test(name)) return 'noCredentials';
  if (/AccessDenied|Authoriz/i.test(name)) return 'accessDenied';
  if (isThrottled.test(text) || otherIsUnderWay.test(text)) return 'throttled';
  if (!isOfCall) return undefined;
  // The error of a response that breaks off has the status 200.
  return $metadata?.httpStatusCode >= 400 ? 'callFailed' : 'noResponse';
}

/** Why a call failed, for a message that also contains a remedy. */
export function failureText(error: unknown): string {
  return failureOf(error)?.problem ?? reasonOf(error);
}

/** The reason of an error, without what the SDK adds for programmers. */
function plainReason(error: unknown): string {
  const { name = '', $metadata } = Object(error);
  const reason = reasonOf(error)
    .replace(/ Deserialization error: .*$/, '')
    .replace(/^@smithy\/node-http-handler - (?:\[\w+\] )?/, '')
    .replace(/\.$/, '');
  const isOwn = $metadata === undefined || error instanceof UnconfirmedError;
  return isOwn || name === 'Error' || reason.includes(name) ? reason : `${name}: ${reason}`;
}
