import { CommanderError } from 'commander';
import {
  InvalidValueError,
  OperatorError,
  reasonOf,
  ServiceError,
  UsageError,
} from '../shared/errors.ts';
import { explainFailure, failureOf, remedyFor } from './stage/service-failure.ts';
import type { Target } from './stage/target.ts';

/** The kinds of failure: the command was refused, its usage is wrong, or a service failed. */
type FailureClass = 'refused' | 'usage' | 'service';

const exitCodes: Readonly<Record<FailureClass, number>> = { refused: 1, usage: 2, service: 3 };

/** Describes the error that ended a command, as it is reported to the operator. */
export function reportFailure(thrown: unknown, target: Target) {
  const error = operatorErrorOf(thrown, target);
  const failureClass = classOf(error);
  const remedy = remedyOf(error, target);
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    /** The kind of error, as a word for programs. */
    code: error instanceof ServiceError ? error.kind : codeOf(error),
    /** The problem, without the remedy. */
    message: withoutAccounts(error.problem),
    remedy: remedy === undefined ? null : withoutAccounts(remedy),
  };
}

function operatorErrorOf(thrown: unknown, target: Target): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (thrown instanceof CommanderError) return usageErrorOf(thrown);
  const { name = 'Error' } = Object(thrown) as Error;
  const reason = reasonOf(thrown);
  return (
    explainFailure(thrown, target) ??
    new OperatorError(reason === name ? reason : `${name}: ${reason}`, { cause: thrown })
  );
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
  if (!found) return new UsageError(text, help);
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

function classOf(error: OperatorError): FailureClass {
  if (error instanceof UsageError) return 'usage';
  return error instanceof ServiceError || failureBehind(error) ? 'service' : 'refused';
}

/** The remedy for an error. If a service caused it, the remedy for the service comes first. */
function remedyOf(error: OperatorError, target: Target): string | undefined {
  const failure = error instanceof ServiceError ? undefined : failureBehind(error);
  if (!failure) return error.remedy;
  return [remedyFor(failure.kind, target), error.remedy].filter(Boolean).join('; then ');
}

function failureBehind({ cause }: Error) {
  for (let each = cause; each !== undefined; each = (each as Error).cause) {
    const failure = failureOf(each);
    if (failure) return failure;
  }
  return undefined;
}

/** Converts the name of an error class into a code: `NotFoundError` becomes `notFound`. */
function codeOf({ name }: OperatorError): string {
  const words = name.replace(/Error$/, '');
  return words === 'Operator' ? 'refused' : words.charAt(0).toLowerCase() + words.slice(1);
}

/** Removes account ids, which messages of AWS contain, because errors are often logged. */
function withoutAccounts(text: string): string {
  return text
    .replaceAll(/(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}/g, '$1…')
    .replaceAll(/\b(account\W+)\d{12}\b/gi, '$1…');
}
