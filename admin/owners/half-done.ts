import { HalfDoneError, OperatorError } from '../../shared/errors.ts';
import { failureText } from '../stage/service-failure.ts';

/**
 * Runs the steps of a command that can be run again, and says so where one of them fails.
 *
 * @param state what has to be assumed then
 * @throws OperatorError
 */
export async function orHalfDone<T>(state: string, steps: () => Promise<T>): Promise<T> {
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
