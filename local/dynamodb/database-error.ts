import { LocalRunError } from '../template/local-run-error.ts';

/**
 * What a call of DynamoDB has failed with, in one line that names the database and what to do.
 *
 * @param database what it is and where, such as `DYNAMODB_ENDPOINT http://127.0.0.1:8000`
 * @param remedy such as `start the server`
 * @returns what was given, where it does not come from a call of DynamoDB
 */
export function databaseError(error: unknown, database: string, remedy: string): unknown {
  if (!(error instanceof Error) || !('$metadata' in error)) return error;
  const reason = (error.message || error.name).replaceAll(/\s+/g, ' ').trim();
  return new LocalRunError(`${database} fails (${reason}): ${remedy}`, { cause: error });
}
