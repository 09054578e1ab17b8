import { stackName } from '../../lib/settings/names.ts';
import { isStageName } from '../../lib/settings/stages.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type FailureKind, failureOf } from './service-failure.ts';
import { labelOf, type Target } from './target.ts';

/**
 * What an operator is told of a service that failed: which, why, and the command that mends it.
 * Undefined for any other error.
 */
export function explainFailure(error: unknown, target: Target): ServiceError | undefined {
  const failure = failureOf(error);
  if (!failure) return undefined;
  return new ServiceError(failure.kind, `${labelOf(target)}: ${failure.problem}`, {
    cause: error,
    remedy: mendingOf(failure.kind, target),
  });
}

/** What an operator can do about a service that fails, as one says it behind a semicolon. */
export function mendingOf(kind: FailureKind, { local, stage }: Target): string {
  if (local !== undefined) return localMending[kind] ?? restart;
  const stack = isStageName(stage) ? stackName(stage) : 'its stack';
  return stageMending(stack)[kind];
}

const restart = 'look at what "npm start" prints there, and start it anew';

const localMending: Partial<Record<FailureKind, string>> = {
  noConnection: 'start the service with "npm start", or correct --local',
  throttled: 'wait a minute, and run the command again',
};

function stageMending(stack: string): Readonly<Record<FailureKind, string>> {
  return {
    noCredentials: 'sign in with "aws sso login" or "aws configure", or set AWS_PROFILE',
    expiredSession: 'sign in again with "aws sso login", or set AWS_PROFILE to another profile',
    unknownCredentials:
      'correct them or set AWS_PROFILE; "aws sts get-caller-identity" tells whose they are',
    wrongClock: 'set the clock of this machine: "timedatectl set-ntp true"',
    noRegion: `set the one of ${stack}: "export AWS_REGION=…"`,
    accessDenied:
      'have it allowed (docs/operating.md, "What an operator may do"), or set AWS_PROFILE',
    throttled: 'wait a minute, and run the command again',
    noConnection: 'correct the network, the proxy or AWS_REGION, and run the command again',
    noAnswer: 'correct the network or the proxy, and run the command again',
    serviceFailed: 'run the command again; https://health.aws.amazon.com tells of outages',
    callRefused: `see what has become of it: "aws cloudformation describe-stacks --stack-name ${stack}"`,
  };
}
