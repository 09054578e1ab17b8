import { CommanderError } from 'commander';
import { exitCodes, OperatorError, reasonOf, UsageError } from '../shared/errors.ts';
import { remedyOf } from './console/advice.ts';
import { FailedCallError, rootOf } from './stage/service-failure.ts';
import { labelOf, type Target, withTarget } from './stage/target.ts';

/** Describes the error that ended a command. */
export function reportFailure(thrown: unknown, target: Target) {
  const error = operatorErrorOf(thrown);
  const root = rootOf(error) as OperatorError;
  const { failureClass, code } = root;
  const place = error instanceof FailedCallError ? `${labelOf(target)}: ` : '';
  const own = remedyOf(error);
  const repair = root instanceof FailedCallError ? root.repair : undefined;
  const remedy = repair ? `${repair}; then ${own ?? 'run the command again'}` : own;
  return {
    exitCode: exitCodes[failureClass],
    class: failureClass,
    /** The kind of error, for programs. */
    code,
    message: `${place}${error.problem}`,
    remedy: remedy === undefined ? null : withTarget(remedy, target),
  };
}

function operatorErrorOf(thrown: unknown): OperatorError {
  if (thrown instanceof OperatorError) return thrown;
  if (thrown instanceof CommanderError) return usageErrorOf(thrown);
  const { name = 'Error', $metadata } = Object(thrown);
  if ($metadata) return new FailedCallError('callFailed', 'a call', thrown);
  return new OperatorError(`${name}: ${reasonOf(thrown)}`);
}

/** Converts commander's error. Its message already names the option, the value and the choices. */
function usageErrorOf(error: CommanderError): OperatorError {
  const { code } = error;
  if (code === 'commander.help') return new UsageError('a command is missing', help);
  const text = reasonOf(error).replace(/^error: /, '');
  if (code === 'commander.invalidArgument') return new OperatorError(text);
  return new UsageError(text, help);
}

const help = { remedy: 'see --help' };
