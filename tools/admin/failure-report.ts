import { CommanderError } from 'commander';
import { OperatorError, reasonOf, UsageError } from '../shared/errors.ts';
import { errorsBehind, failureOf, type ServiceFailure } from './stage/service-failure.ts';
import { labelOf, type Target, withTarget } from './stage/target.ts';

/** The exit code for each class of failures. `--help` explains the classes. */
const exitCodes = { refused: 1, usage: 2, service: 3, different: 4, interrupted: 5 } as const;

/** Describes the error that ended a command. */
export function reportFailure(thrown: unknown, target: Target) {
  // Commander's message quotes the command line, which can look like the failure of a service. So it is not searched.
  const behind = thrown instanceof CommanderError ? [] : errorsBehind(thrown);
  const failure = behind.map(failureOf).find((found) => found !== undefined);
  const error = operatorErrorOf(thrown, target, failure);
  const code = codeOf(error);
  const ownClass = code in exitCodes ? (code as keyof typeof exitCodes) : 'refused';
  const failureClass = failure || code === 'wrongAccount' ? 'service' : ownClass;
  const remedy = failure ? remedyFor(failure, error, target) : error.remedy;
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    /** The kind of error, for programs. */
    code: failure?.kind ?? code,
    message: withTarget(error.problem, target),
    remedy: remedy === undefined ? null : withTarget(remedy, target),
  };
}

function operatorErrorOf(
  thrown: unknown,
  target: Target,
  failure: ServiceFailure | undefined,
): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (thrown instanceof CommanderError) return usageErrorOf(thrown);
  if (failure) return new OperatorError(`${labelOf(target)}: ${failure.problem}`);
  const { name = 'Error' } = Object(thrown);
  return new OperatorError(`${name}: ${reasonOf(thrown)}`);
}

function remedyFor(failure: ServiceFailure, error: OperatorError, { local }: Target): string {
  const repair =
    local === undefined
      ? failure.remedy
      : 'check that "npm start" is running at this address, and read its output';
  return `${repair}; then ${error.remedy ?? 'run the command again'}`;
}

/** Converts commander's error, whose message about a value names the option, the value and the choices. */
function usageErrorOf(error: CommanderError): OperatorError {
  const { code } = error;
  if (code === 'commander.help') return new UsageError('a command is missing', help);
  const text = reasonOf(error).replace(/^error: /, '');
  if (code === 'commander.invalidArgument') return new OperatorError(text);
  return new UsageError(text, help);
}

const help = { remedy: 'see --help' };

/** Makes `notFound` of `NotFoundError`. */
function codeOf({ name }: OperatorError): string {
  const words = name.replace(/Error$/, '');
  return words === 'Operator' ? 'refused' : words.charAt(0).toLowerCase() + words.slice(1);
}
