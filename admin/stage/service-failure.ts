import { HalfDoneError, OperatorError, reasonOf } from '../../shared/errors.ts';

/** The kinds of failure of a call that are caused neither by this program nor by the command. */
export type FailureKind =
  | 'noCredentials'
  | 'expiredSession'
  | 'unknownCredentials'
  | 'wrongClock'
  | 'noRegion'
  | 'accessDenied'
  | 'throttled'
  | 'noConnection'
  | 'noAnswer'
  | 'unconfirmed'
  | 'serviceFailed'
  | 'callRefused';

interface ServiceFailure {
  readonly kind: FailureKind;
  /** A description without the remedy. */
  readonly problem: string;
}

/** The call that an error belongs to. */
interface ServiceCall {
  /** The service's name, such as `DynamoDB`. */
  readonly service: string;
  /** The operation's name, such as `Scan`. */
  readonly operation: string;
}

const calls = new WeakMap<object, ServiceCall>();

/** Records which call failed with an error, because errors of the SDK do not contain that. */
export function recordCall(error: unknown, call: ServiceCall): void {
  if (typeof error === 'object' && error !== null) calls.set(error, call);
}

/** An answer that does not show what was asked for, such as an empty one: it may not have been done. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError';

  /** @param operation the name of DynamoDB's operation */
  constructor(operation: string) {
    super('the answer does not show it');
    recordCall(this, { service: 'DynamoDB', operation });
  }
}

// The first pattern that matches decides. The names are those of the SDK's errors and of AWS's codes.
const patterns: readonly (readonly [FailureKind, RegExp])[] = [
  ['unconfirmed', /^UnconfirmedError/],
  ['noRegion', /region is missing/i],
  ['wrongClock', /RequestExpired|RequestTimeTooSkewed|signature (?:expired|not yet current)/i],
  ['expiredSession', /Expired|(?:session|token|credentials?)[^.]{0,80}\bexpired\b/i],
  [
    'unknownCredentials',
    /UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|InvalidAccessKeyId|security token included in the request is invalid/i,
  ],
  ['noCredentials', /Credentials(?:Provider)?Error|TokenProviderError|could not load credentials/i],
  ['accessDenied', /AccessDenied|UnauthorizedOperation|not authorized to perform/i],
  ['throttled', /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|Rate exceeded/i],
  ['noAnswer', /TimeoutError|ETIMEDOUT|AbortError|ECONNRESET|EPIPE|socket hang up|Error: aborted/],
  [
    'noConnection',
    /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ENETDOWN|EHOSTUNREACH|EHOSTDOWN|CERT_|_CERT|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|Parse Error|HPE_/,
  ],
];

/** The failure of a service or of the connection to it; undefined for any other error. */
export function failureOf(error: unknown): ServiceFailure | undefined {
  const { name = '', code = '', $metadata } = Object(error) as SdkError;
  // Errors of the file system have a path, and those of JSON.parse quote a file. Both can contain
  // words that a pattern matches.
  if (Object(error).path !== undefined || error instanceof OperatorError) return undefined;
  if (error instanceof SyntaxError && $metadata === undefined) return undefined;
  const text = `${name} ${code} ${reasonOf(error)}`;
  const kind = patterns.find(([, pattern]) => pattern.test(text))?.[0];
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

const introductions: Readonly<Record<FailureKind, (call: string) => string>> = {
  noCredentials: () => 'there are no AWS credentials',
  expiredSession: () => 'the AWS session has expired',
  unknownCredentials: () => 'AWS does not know the credentials',
  wrongClock: () => "AWS does not accept this machine's clock",
  noRegion: () => 'no AWS Region is set',
  accessDenied: (call) => `the credentials do not allow ${call}`,
  throttled: (call) => `${call} is throttled`,
  noConnection: (call) => `no connection for ${call}`,
  noAnswer: (call) => `${call} got no answer in time`,
  unconfirmed: (call) => `${call} may not have been done`,
  serviceFailed: (call) => `${call} failed`,
  callRefused: (call) => `${call} was refused`,
};

function problemOf(kind: FailureKind, error: unknown): string {
  const { service, operation } = calls.get(Object(error)) ?? {};
  const call = service ? `${service} ${operation}` : 'the call';
  return `${introductions[kind](call)} (${plainReason(error)})`;
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
