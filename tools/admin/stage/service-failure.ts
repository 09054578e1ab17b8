import { OperatorError, reasonOf } from '../../shared/errors.ts';

/** The kinds of failed calls, each with the problem and with what an operator can do before a repetition. */
const forms = {
  noCredentials: [
    'there are no credentials that AWS accepts',
    'sign in with "aws sso login", or set AWS_PROFILE to a profile that "aws configure list-profiles" lists. ' +
      'For a profile with MFA, run eval "$(aws configure export-credentials --format env)", and unset AWS_PROFILE',
  ],
  noRegion: [
    'neither lib/settings/stages.ts nor the credentials name a Region',
    'set AWS_REGION to the Region in which you have deployed the stage',
  ],
  accessDenied: [
    'the credentials do not allow {call}',
    'ask for permission (docs/operating.md, "What an operator may do"), or set AWS_PROFILE to another profile',
  ],
  throttled: ['{call} is throttled', 'wait a minute'],
  noResponse: [
    '{call} got no response',
    'check that the network, the proxy (HTTPS_PROXY), or on a local run "npm start", works',
  ],
  callFailed: [
    '{call} failed',
    "look for outages on https://health.aws.amazon.com, and check the stack in CloudFormation's console",
  ],
} as const;

type FailureKind = keyof typeof forms;

/** A call that was not carried out, or whose response was lost. */
export class FailedCallError extends OperatorError {
  override readonly failureClass = 'service';
  override readonly code: FailureKind;
  /** What the operator can do before a repetition. */
  readonly repair: string;

  /** @param call such as `DynamoDB Scan`, because the SDK's errors do not name the call */
  constructor(kind: FailureKind, call: string, cause: unknown) {
    const [problem, repair] = forms[kind];
    const { AWS_PROFILE: profile } = process.env;
    const used = kind === 'noCredentials' && profile ? `AWS_PROFILE=${profile}: ` : '';
    super(`${problem.replace('{call}', call)} (${used}${plainReason(cause)})`, { cause });
    this.code = kind;
    this.repair = repair;
  }
}

/** The error behind the errors of a command, such as a failed call or an interruption. */
export function rootOf(thrown: unknown): unknown {
  const { cause } = Object(thrown);
  return cause instanceof OperatorError ? rootOf(cause) : thrown;
}

/** Whether a call may have been carried out although it has failed: it was interrupted, or AWS did not refuse it. */
export function mayHaveTakenEffect(error: unknown): boolean {
  return ['interrupted', 'noResponse', 'callFailed'].includes(Object(error).code);
}

/**
 * Describes the error of a call. Returns an error unchanged if a command expects it, or if it is already an
 * OperatorError.
 */
export function failedCall(error: unknown, call: string): unknown {
  const { name, message } = Object(error);
  const isExpected = expected.test(`${name} ${message}`) && !isRefusedForAnother(error);
  if (error instanceof OperatorError || isExpected) return error;
  return new FailedCallError(kindOf(error), call, error);
}

/** The names of errors that commands expect: failed conditions, and gateway keys that exist or do not exist. */
const expected = /ConditionalCheckFailed|^(?:NotFound|Conflict)Exception /;

/**
 * Whether AWS has refused a change only because another change of the same item, or in the same Region, is under way.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
 * @see https://github.com/serverless/serverless/issues/12065 for the message of API Gateway
 */
export function isRefusedForAnother(error: unknown): error is object {
  const { name = '', message = '' } = Object(error);
  // The message of a cancelled transaction has the reasons of all its parts.
  const isOnlyBusy = !/ConditionalCheckFailed/.test(message);
  return isOnlyBusy && otherIsUnderWay.test(`${name} ${message}`);
}

const unknownCredentials =
  /Expired|(?:Credentials|Token)Provider|UnrecognizedClient|InvalidClientToken|InvalidAccessKey|Signature/;

const isThrottled = /Throttl|TooManyRequests|ThroughputExceeded|RequestLimit/;

const otherIsUnderWay = /TransactionConflict|concurrent modification/;

function kindOf(error: unknown): FailureKind {
  const { name = '', message = '', $metadata } = Object(error);
  if (unknownCredentials.test(name)) return 'noCredentials';
  if (message === 'Region is missing') return 'noRegion';
  if (/AccessDenied|Authoriz/i.test(name)) return 'accessDenied';
  if (isThrottled.test(`${name} ${message}`) || isRefusedForAnother(error)) return 'throttled';
  // An error with the status 200 means that the response broke off.
  return $metadata?.httpStatusCode >= 400 ? 'callFailed' : 'noResponse';
}

/** The problem of an error, for a message that also contains a remedy. */
export function problemOf(error: unknown): string {
  return error instanceof OperatorError ? error.problem : reasonOf(error);
}

/** The reason of an error, without the advice that the SDK adds for programmers. */
function plainReason(error: unknown): string {
  const { name = '', $metadata } = Object(error);
  const reason = problemOf(error)
    .replace(/ Deserialization error: .*$/, '')
    .replace(/^@smithy\/node-http-handler - (?:\[\w+\] )?/, '')
    .replace(/\.$/, '');
  const isNamed = $metadata === undefined || name === 'Error' || reason.includes(name);
  return isNamed ? reason : `${name}: ${reason}`;
}
