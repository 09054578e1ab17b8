import { stackName } from '../../lib/settings/names.ts';
import { isStageName } from '../../lib/settings/stages.ts';
import { ServiceError } from '../../shared/errors.ts';
import { type FailureKind, failureOf } from './service-failure.ts';
import { labelOf, type Target } from './target.ts';

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

/** What an operator can do about the failure of a service, as a clause for the end of a message. */
export function remedyFor(kind: FailureKind, { local, stage }: Target): string {
  if (local !== undefined) return localRemedies[kind] ?? restart;
  const stack = isStageName(stage) ? stackName(stage) : 'its stack';
  return stageRemedies(stack)[kind];
}

const restart = 'look at what "npm start" prints there, and start it anew';

const localRemedies: Partial<Record<FailureKind, string>> = {
  noConnection: 'start the service with "npm start", or correct --local',
  throttled: 'wait a minute, and run the command again',
  unconfirmed: 'run the command again',
};

function stageRemedies(stack: string): Readonly<Record<FailureKind, string>> {
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
    unconfirmed: 'run the command again; a proxy between may have answered',
    serviceFailed: 'run the command again; https://health.aws.amazon.com tells of outages',
    callRefused: `see what has become of it: "aws cloudformation describe-stacks --stack-name ${stack}"`,
  };
}
