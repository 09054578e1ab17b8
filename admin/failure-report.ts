import { CommanderError } from 'commander';
import {
  InvalidValueError,
  OperatorError,
  reasonOf,
  ServiceError,
  UsageError,
} from '../shared/errors.ts';
import { explainFailure, mendingOf } from './stage/explain-failure.ts';
import { failureOf } from './stage/service-failure.ts';
import type { Target } from './stage/target.ts';

/** Whose turn it is: the command was refused, is no command, or a service has failed. */
export type FailureClass = 'refused' | 'usage' | 'service';

const exitCodes: Readonly<Record<FailureClass, number>> = { refused: 1, usage: 2, service: 3 };

/** A failed command, as it is told. */
export interface FailureReport {
  readonly exitCode: number;
  readonly class: FailureClass;
  /** What happened, in a word for programs. */
  readonly code: string;
  /** Without the remedy. */
  readonly message: string;
  readonly remedy: string | null;
}

/** What to tell of an error that ended a command. */
export function reportFailure(thrown: unknown, target: Target): FailureReport {
  const error = operatorErrorOf(thrown, target);
  const failureClass = classOf(error);
  const remedy = remedyOf(error, target);
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    code: error instanceof ServiceError ? error.kind : codeOf(error),
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

/** Of what commander found: a value that an option does not take is refused as any other. */
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

/** What somebody has pasted by mistake fills no screen and no log. */
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

/** Where a service lies behind it, that has to be mended before the command can go on. */
function remedyOf(error: OperatorError, target: Target): string | undefined {
  const failure = error instanceof ServiceError ? undefined : failureBehind(error);
  if (!failure) return error.remedy;
  return [mendingOf(failure.kind, target), error.remedy].filter(Boolean).join('; then ');
}

function failureBehind({ cause }: Error) {
  for (let each = cause; each !== undefined; each = (each as Error).cause) {
    const failure = failureOf(each);
    if (failure) return failure;
  }
  return undefined;
}

/** `NotFoundError` as `notFound`. */
function codeOf({ name }: OperatorError): string {
  const words = name.replace(/Error$/, '');
  return words === 'Operator' ? 'refused' : words.charAt(0).toLowerCase() + words.slice(1);
}

/** AWS's own messages name accounts, and errors end up in logs. */
function withoutAccounts(text: string): string {
  return text
    .replaceAll(/(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}/g, '$1…')
    .replaceAll(/\b(account\W+)\d{12}\b/gi, '$1…');
}
