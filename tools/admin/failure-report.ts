import { CommanderError } from 'commander';
import { stackName } from '../../lib/settings/names.ts';
import { isStageName } from '../../lib/settings/stages.ts';
import {
  DifferentError,
  InterruptedError,
  InvalidValueError,
  OperatorError,
  reasonOf,
  UsageError,
} from '../shared/errors.ts';
import { failureOf, type ServiceFailure } from './stage/service-failure.ts';
import { labelOf, type Target } from './stage/target.ts';

/** The exit code of each kind of failure; `--help` says what they mean. */
const exitCodes = { refused: 1, usage: 2, service: 3, different: 4, interrupted: 5 } as const;

/** Describes the error that ended a command, as it is reported to the operator. */
export function reportFailure(thrown: unknown, target: Target) {
  // A wrong command line can contain any word.
  const isUsage = thrown instanceof CommanderError;
  const failure = isUsage ? undefined : failureBehind(thrown);
  const error = operatorErrorOf(thrown, target, failure);
  const failureClass = failure ? 'service' : classOf(error);
  // The service has to work again before the command can be completed.
  const remedies = [failure && remedyFor(failure, target), error.remedy];
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    /** The kind of error, as a word for programs. */
    code: failure && error !== thrown ? failure.kind : codeOf(error),
    /** The problem, without the remedy. */
    message: error.problem,
    remedy: remedies.filter(Boolean).join('; then ') || null,
  };
}

function classOf(error: OperatorError): keyof typeof exitCodes {
  if (error instanceof UsageError) return 'usage';
  if (error instanceof DifferentError) return 'different';
  return error instanceof InterruptedError ? 'interrupted' : 'refused';
}

/** The failure of a service that an error is, or that has caused it. */
function failureBehind(thrown: unknown): ServiceFailure | undefined {
  for (let each = thrown; each !== undefined; each = Object(each).cause) {
    const failure = failureOf(each);
    if (failure) return failure;
  }
  return undefined;
}

function operatorErrorOf(
  thrown: unknown,
  target: Target,
  failure: ServiceFailure | undefined,
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (thrown instanceof CommanderError) return usageErrorOf(thrown);
  if (failure) {
    const problem = failure.problem.replace('{stack}', stackOf(target));
    return new OperatorError(`${labelOf(target)}: ${problem}`);
  }
  const { name = 'Error' } = Object(thrown) as Error;
  const reason = reasonOf(thrown);
  return new OperatorError(reason === name ? reason : `${name}: ${reason}`, { cause: thrown });
}

function remedyFor({ remedy, localRemedy }: ServiceFailure, target: Target): string {
  if (target.local === undefined) return remedy.replace('{stack}', stackOf(target));
  return localRemedy ?? 'look at what "npm start" prints there, and start it anew';
}

function stackOf({ stage }: Target): string {
  return isStageName(stage) ? stackName(stage) : 'its stack';
}

/** Converts an error of commander. An invalid value becomes the same error as in our own checks. */
function usageErrorOf({ code, message }: CommanderError): OperatorError {
  if (code === 'commander.help') return new UsageError('a command is missing', help);
  const text = message
    .replace(/^error: /, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(overlongWord, '$1…')
    .trim();
  const found = badOptionValue.exec(text) ?? badArgument.exec(text);
  if (!found) return new UsageError(text, code === 'commander.unknownOption' ? dashHelp : help);
  const { name, value, expected } = found.groups!;
  return new InvalidValueError(
    name!,
    value,
    expected!.replace(/^Allowed choices are /, 'one of ').replaceAll(/^Expected |\.$/g, ''),
  );
}

/** Matches long words, which are shortened because a value may have been pasted by mistake. */
const overlongWord = /(\S{60})\S{20,}/g;

const badOptionValue =
  /^option '(?<name>--[\w-]+).*?' argument '(?<value>.*)' is invalid\. (?<expected>.+)$/;
const badArgument =
  /^command-argument value '(?<value>.*)' is invalid for argument '(?<name>\w+)'\. (?<expected>.+)$/;

const help = { remedy: '--help tells more' };
const dashHelp = { remedy: `${help.remedy}; -- comes before a name that begins with a dash` };

/** Converts the name of an error class into a code: `NotFoundError` becomes `notFound`. */
function codeOf({ name }: OperatorError): string {
  const words = name.replace(/Error$/, '');
  return words === 'Operator' ? 'refused' : words.charAt(0).toLowerCase() + words.slice(1);
}
