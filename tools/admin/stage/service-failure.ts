import { stackName } from '../../../lib/settings/names.ts';
import { isStageName } from '../../../lib/settings/stages.ts';
import { HalfDoneError, OperatorError, reasonOf, ServiceError } from '../../shared/errors.ts';
import { labelOf, type Target } from './target.ts';

/** A kind of failure of a call that is caused neither by this program nor by the command. */
interface FailureForm {
  /** Matches the name, the code and the message of an error of the SDK. The first match decides. */
  readonly pattern?: RegExp;
  readonly introduction: (call: string) => string;
  /** What an operator can do, as a clause for the end of a message. */
  readonly remedy: (stack: string) => string;
  /** What the developer who runs the service can do. */
  readonly localRemedy?: string;
}

const again = 'run the command again';
const waitAMinute = `wait a minute, and ${again}`;
const restart = 'look at what "npm start" prints there, and start it anew';

const forms = {
  unconfirmed: {
    pattern: /^UnconfirmedError/,
    introduction: (call) => `${call} may not have been done`,
    remedy: () => `${again}; a proxy between may have answered`,
    localRemedy: again,
  },
  noRegion: {
    pattern: /region is missing/i,
    introduction: () => 'no AWS Region is set',
    remedy: (stack) => `set the one of ${stack}: "export AWS_REGION=…"`,
  },
  wrongClock: {
    pattern: /RequestExpired|RequestTimeTooSkewed|signature (?:expired|not yet current)/i,
    introduction: () => "AWS does not accept this machine's clock",
    remedy: () => 'set the clock of this machine: "timedatectl set-ntp true"',
  },
  expiredSession: {
    pattern: /Expired|(?:session|token|credentials?)[^.]{0,80}\bexpired\b/i,
    introduction: () => 'the AWS session has expired',
    remedy: () => 'sign in again with "aws sso login", or set AWS_PROFILE to another profile',
  },
  unknownCredentials: {
    pattern:
      /UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|InvalidAccessKeyId|security token included in the request is invalid/i,
    introduction: () => 'AWS does not know the credentials',
    remedy: () =>
      'correct them or set AWS_PROFILE; "aws sts get-caller-identity" tells whose they are',
  },
  noCredentials: {
    pattern: /Credentials(?:Provider)?Error|TokenProviderError|could not load credentials/i,
    introduction: () => 'there are no AWS credentials',
    remedy: () => 'sign in with "aws sso login" or "aws configure", or set AWS_PROFILE',
  },
  accessDenied: {
    pattern: /AccessDenied|UnauthorizedOperation|not authorized to perform/i,
    introduction: (call) => `the credentials do not allow ${call}`,
    remedy: () =>
      'have it allowed (docs/operating.md, "What an operator may do"), or set AWS_PROFILE',
  },
  throttled: {
    pattern: /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|Rate exceeded/i,
    introduction: (call) => `${call} is throttled`,
    remedy: () => waitAMinute,
    localRemedy: waitAMinute,
  },
  noAnswer: {
    pattern: /TimeoutError|ETIMEDOUT|AbortError|ECONNRESET|EPIPE|socket hang up|Error: aborted/,
    introduction: (call) => `${call} got no answer in time`,
    remedy: () => `correct the network or the proxy, and ${again}`,
  },
  noConnection: {
    pattern:
      /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|CERT_|_CERT|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|Parse Error|HPE_/,
    introduction: (call) => `no connection for ${call}`,
    remedy: () => `correct the network, the proxy or AWS_REGION, and ${again}`,
    localRemedy: 'start the service with "npm start", or correct --local',
  },
  serviceFailed: {
    introduction: (call) => `${call} failed`,
    remedy: () => `${again}; https://health.aws.amazon.com tells of outages`,
  },
  callRefused: {
    introduction: (call) => `${call} was refused`,
    remedy: (stack) =>
      `see what has become of it: "aws cloudformation describe-stacks --stack-name ${stack}"`,
  },
} as const satisfies Readonly<Record<string, FailureForm>>;

type FailureKind = keyof typeof forms;

/** What an operator can do about the failure of a service, as a clause for the end of a message. */
export function remedyFor(kind: FailureKind, { local, stage }: Target): string {
  const form: FailureForm = forms[kind];
  if (local !== undefined) return form.localRemedy ?? restart;
  return form.remedy(isStageName(stage) ? stackName(stage) : 'its stack');
}

/**
 * Converts the failure of a service into an error that tells the operator the cause and the remedy.
 * Undefined for other errors.
 */
export function explainFailure(error: unknown, target: Target): ServiceError | undefined {
  const failure = failureOf(error);
  if (!failure) return undefined;
  return new ServiceError(failure.kind, `${labelOf(target)}: ${failure.problem}`, {
    cause: error,
    remedy: remedyFor(failure.kind, target),
  });
}

const calls = new WeakMap<object, string>();

/**
 * Records which call failed with an error, because errors of the SDK do not contain that.
 *
 * @param call the names of the service and of the operation, such as `DynamoDB Scan`
 */
export function recordCall(error: unknown, call: string): void {
  if (typeof error === 'object' && error !== null) calls.set(error, call);
}

/** An answer that does not show what was asked for, such as an empty one: it may not have been done. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError';

  /** @param operation the name of DynamoDB's operation */
  constructor(operation: string) {
    super('the answer does not show it');
    recordCall(this, `DynamoDB ${operation}`);
  }
}

/**
 * The failure of a service or of the connection to it, with a description that has no remedy;
 * undefined for any other error.
 */
export function failureOf(error: unknown): { kind: FailureKind; problem: string } | undefined {
  const { name = '', code = '', $metadata } = Object(error) as SdkError;
  // Errors of the file system have a path, and those of JSON.parse quote a file. Both can contain
  // words that a pattern matches.
  if (Object(error).path !== undefined || error instanceof OperatorError) return undefined;
  if (error instanceof SyntaxError && $metadata === undefined) return undefined;
  const text = `${name} ${code} ${reasonOf(error)}`;
  const kinds = Object.keys(forms) as FailureKind[];
  const kind = kinds.find((each) => (forms[each] as FailureForm).pattern?.test(text));
  if (kind) return { kind, problem: problemOf(kind, error) };
  if ($metadata === undefined) return undefined;
  const failed = ($metadata.httpStatusCode ?? 0) >= 500 ? 'serviceFailed' : 'callRefused';
  return { kind: failed, problem: problemOf(failed, error) };
}

/** Describes why a call failed, for a message that also contains a remedy. */
export function failureText(error: unknown): string {
  return failureOf(error)?.problem ?? reasonOf(error);
}

/**
 * Runs the steps of a command that can be repeated. If one of them fails, the error tells the operator
 * to run the command again.
 *
 * @param state describes the state after a failure
 * @throws OperatorError when a step fails
 */
export async function withHalfDoneError<T>(state: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new HalfDoneError(`${state}: ${failureText(error)}`, {
      cause: error,
      remedy: 'run the command again to complete it',
    });
  }
}

interface SdkError {
  name?: string;
  code?: unknown;
  $metadata?: { httpStatusCode?: number };
}

function problemOf(kind: FailureKind, error: unknown): string {
  const call = calls.get(Object(error)) ?? 'the call';
  return `${forms[kind].introduction(call)} (${plainReason(error)})`;
}

/** The reason of an error, without the parts of SDK messages that are meant for programmers. */
function plainReason(error: unknown): string {
  const { name = '', $metadata } = Object(error) as SdkError;
  const reason = reasonOf(error)
    .replace(/^AWS SDK error wrapper for /, '')
    .replace(/ Deserialization error: .*$/, '')
    .replace(/^@smithy\/node-http-handler - (?:\[\w+\] )?/, '')
    .replace(/\.$/, '');
  const isTelling = $metadata === undefined || name === 'Error' || reason.includes(name);
  return isTelling ? reason : `${name}: ${reason}`;
}
