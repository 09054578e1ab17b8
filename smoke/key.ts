import { charactersAfterPrefix } from '../lambdas/shared/api-key.ts';
import { apiKeyPrefixes, stageOfKey } from '../lib/settings/stages.ts';
import { OperatorError } from '../shared/errors.ts';

export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads standard input; undefined when it is a terminal. */
  readonly readInput: () => Promise<string | undefined>;
}

const keyPattern = new RegExp(`^so_[a-z]+_[0-9A-Za-z]{${charactersAfterPrefix}}$`);

/**
 * Reads the API key from the environment or, if it is not there, from standard input.
 *
 * @throws OperatorError when there is no valid key. The message does not contain the given text,
 *   because that may be a mistyped key
 */
export async function readKey({ environment, readInput }: KeySources): Promise<string> {
  const given = environment.STORE_ORDERS_KEY || (await readInput());
  const key = given?.trim();
  if (key === undefined || key === '') {
    throw new OperatorError(
      'the API key is missing: set STORE_ORDERS_KEY, or pipe the key to this command',
    );
  }
  if (keyPattern.test(key) && stageOfKey(key)) return key;
  throw new OperatorError(
    `the key that was given has ${key.length} characters and is no API key: expected the prefix of a stage (${apiKeyPrefixes.join(', ')}) and 46 base62 characters`,
  );
}
