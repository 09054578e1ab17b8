import { HalfDoneError, OperatorError } from '../../shared/errors.ts';
import { failureText } from '../stage/service-failure.ts';

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
