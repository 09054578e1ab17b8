import { LocalRunError } from '../template/local-run-error.ts';

/**
 * Converts an error of a DynamoDB call into one that names the database and what to do.
 *
 * @param database the database and its location, such as `DYNAMODB_ENDPOINT http://127.0.0.1:8000`
 * @param remedy what the user can do, such as `start the server`
 * @returns a LocalRunError, or the given error when it does not come from a DynamoDB call
 */
export function databaseError(error: unknown, database: string, remedy: string): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const reason = (error.message || error.name).replaceAll(/\s+/g, ' ').trim();
  return new LocalRunError(`${database} fails (${reason}): ${remedy}`, { cause: error });
}
