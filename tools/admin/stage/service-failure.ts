import { OperatorError, reasonOf } from '../../shared/errors.ts';

/** A kind of failed call. `{call}` stands for the call, and `{stack}` for the stage's stack. */
interface FailureForm {
  /** Matches the name, the code and the message of an error of the SDK. The first match decides. */
  readonly pattern?: RegExp;
  readonly problem: string;
  /** What an operator can do before running the command again. */
  readonly remedy: string;
}

const orProfile = 'or set AWS_PROFILE to one that "aws configure list-profiles" lists';

const forms = {
  unconfirmed: {
    pattern: /^UnconfirmedError/,
    problem: '{call} may or may not have been done',
    remedy: 'check the network, and that no proxy responds in place of AWS',
  },
  noRegion: {
    pattern: /region is missing|region not accepted/i,
    problem: 'no valid AWS Region is set',
    remedy: `set the Region of {stack}: "export AWS_REGION=…", ${orProfile}`,
  },
  noSuchStack: {
    pattern: /Stack with id \S+ does not exist/,
    problem: 'there is no stack {stack} in this account and Region',
    remedy: 'deploy it with "npx cdk deploy {stack}", or correct AWS_PROFILE and AWS_REGION',
  },
  wrongClock: {
    pattern: /RequestExpired|RequestTimeTooSkewed|signature (?:expired|not yet current)/i,
    problem: "AWS does not accept this machine's clock",
    remedy: 'set the clock of this machine: "timedatectl set-ntp true"',
  },
  expiredSession: {
    pattern: /Expired|(?:session|token|credentials?)[^.]{0,80}\bexpired\b/i,
    problem: 'the AWS session has expired',
    remedy: 'sign in again with "aws sso login", or set AWS_PROFILE to another profile',
  },
  unknownCredentials: {
    pattern:
      /UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|InvalidAccessKeyId|security token included in the request is invalid/i,
    problem: 'AWS does not know the credentials',
    remedy: 'correct them or set AWS_PROFILE; "aws sts get-caller-identity" shows whose they are',
  },
  noCredentials: {
    pattern: /Credentials(?:Provider)?Error|TokenProviderError|could not load credentials/i,
    problem: 'there are no AWS credentials',
    remedy: `sign in with "aws sso login" or "aws configure", ${orProfile}`,
  },
  accessDenied: {
    pattern: /AccessDenied|UnauthorizedOperation|not authorized to perform/i,
    problem: 'the credentials do not allow {call}',
    remedy: 'ask for permission (docs/operating.md, "What an operator may do"), or set AWS_PROFILE',
  },
  throttled: {
    pattern: /Throttl|TooManyRequests|ThroughputExceeded|RequestLimitExceeded|Rate exceeded/i,
    problem: '{call} is throttled',
    remedy: 'wait a minute',
  },
  noResponse: {
    pattern:
      /TimeoutError|ETIMEDOUT|AbortError|Error: aborted|ECONN|EPIPE|socket hang up|ENOTFOUND|EAI_AGAIN|ENET|EHOST|CERT_|_CERT|UNABLE_TO_|ERR_TLS|ERR_SSL|ERR_PROXY|EPROTO|Parse Error|HPE_/,
    problem: '{call} got no response',
    remedy: 'correct the network, the proxy or AWS_REGION',
  },
  serviceFailed: {
    problem: '{call} failed',
    remedy: 'look for outages on https://health.aws.amazon.com',
  },
  callRefused: {
    problem: '{call} was refused',
    remedy: 'look at the stack: "aws cloudformation describe-stacks --stack-name {stack}"',
  },
} satisfies Readonly<Record<string, FailureForm>>;

/** A failure of a service, the connection to it, or the settings for it. */
export interface ServiceFailure extends Omit<FailureForm, 'pattern'> {
  readonly kind: keyof typeof forms;
}

const calls = new WeakMap<object, string>();

/** Records the call that failed with an error, such as `DynamoDB Scan`. The SDK's errors do not name it. */
export function recordCall(error: unknown, call: string): void {
  if (typeof error === 'object' && error !== null) calls.set(error, call);
}

/** It is unknown whether a call was done, because its response was lost or is empty. */
export class UnconfirmedError extends Error {
  override name = 'UnconfirmedError';

  /** @param reason why there is no response. @default - there is one, without the expected content */
  constructor(operation: string, reason?: unknown) {
    super(reason ? plainReason(reason) : 'the response does not show that it was done');
    recordCall(this, `DynamoDB ${operation}`);
  }
}

/** Whether a change may have been made although the command has failed. */
export function mayHaveTakenEffect(thrown: unknown): boolean {
  return errorsBehind(thrown).some((error) => error instanceof UnconfirmedError);
}

/** An error and its causes. */
export function errorsBehind(thrown: unknown): unknown[] {
  return thrown === undefined ? [] : [thrown, ...errorsBehind(Object(thrown).cause)];
}

/** Classifies an error as a failure of a service; undefined for any other error. */
export function failureOf(error: unknown): ServiceFailure | undefined {
  const { name = '', code = '', path, $metadata } = Object(error);
  const call = calls.get(Object(error));
  // Errors of the file system have a path, and those of JSON.parse quote a file. Both can contain words
  // that match a pattern. In a call, the file is that of a token.
  const isOfFile = path !== undefined;
  if ((isOfFile && !call) || error instanceof OperatorError) return undefined;
  if (error instanceof SyntaxError && $metadata === undefined) return undefined;
  const text = `${name} ${code} ${reasonOf(error)}`;
  const found = isOfFile
    ? (['noCredentials', forms.noCredentials] as const)
    : Object.entries<FailureForm>(forms).find(([, { pattern }]) => pattern?.test(text));
  if (!found && $metadata === undefined) return undefined;
  const other = ($metadata?.httpStatusCode ?? 0) >= 500 ? 'serviceFailed' : 'callRefused';
  const [kind, form] = found ?? [other, forms[other]];
  const problem = `${form.problem.replace('{call}', call ?? 'the call')} (${plainReason(error)})`;
  return { ...form, kind: kind as ServiceFailure['kind'], problem };
}

/** Why a call failed, for a message that also contains a remedy. */
export function failureText(error: unknown): string {
  return failureOf(error)?.problem ?? reasonOf(error);
}

/** Runs steps that can be repeated. @throws OperatorError with the given state if a step fails */
export async function runRepeatable<T>(state: string, steps: () => Promise<T>): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${state}: ${failureText(error)}`, {
      cause: error,
      remedy: 'run the command again to complete it',
    });
  }
}

/** The reason of an error, without what the SDK adds for programmers. */
function plainReason(error: unknown): string {
  const { name = '', $metadata } = Object(error);
  const reason = reasonOf(error)
    .replace(/^AWS SDK error wrapper for /, '')
    .replace(/ Deserialization error: .*$/, '')
    .replace(/^@smithy\/node-http-handler - (?:\[\w+\] )?/, '')
    .replace(/\.$/, '');
  const isOwn = $metadata === undefined || error instanceof UnconfirmedError;
  const isTelling = isOwn || name === 'Error' || reason.includes(name);
  return isTelling ? reason : `${name}: ${reason}`;
}
