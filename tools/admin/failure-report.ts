import { CommanderError } from 'commander';
import { exitCodes, OperatorError, reasonOf, UsageError } from '../shared/errors.ts';
import { remedyOf } from './console/advice.ts';
import {
  errorsBehind,
  failureOf,
  isInterruption,
  type ServiceFailure,
} from './stage/service-failure.ts';
import { labelOf, type Target, withTarget } from './stage/target.ts';

/** Describes the error that ended a command. */
export function reportFailure(thrown: unknown, target: Target) {
  // Commander's message quotes the command line, which can look like the failure of a service. So it is not searched.
  const behind = thrown instanceof CommanderError ? [] : errorsBehind(thrown);
  const failure = behind.map(failureOf).find((found) => found !== undefined);
  const isInterrupted = isInterruption(thrown);
  const error = operatorErrorOf(thrown, target, failure);
  const ownRemedy = remedyOf(error);
  const remedy = failure && !isInterrupted ? remedyAfter(failure, ownRemedy, target) : ownRemedy;
  const failureClass = isInterrupted ? 'interrupted' : failure ? 'service' : error.failureClass;
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    /** The kind of error, for programs. */
    code: isInterrupted ? 'interrupted' : (failure?.kind ?? error.code),
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

function remedyAfter(failure: ServiceFailure, own: string | undefined, { local }: Target): string {
  const repair =
    local === undefined
      ? failure.remedy
      : 'check that "npm start" is running at this address, and read its output';
  return `${repair}; then ${own ?? 'run the command again'}`;
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
