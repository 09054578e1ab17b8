import { apiKeyPrefixes, stageOfKey } from '../lib/settings/stages.ts';
import { OperatorError } from '../shared/errors.ts';

export interface KeySources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What standard input holds; undefined where it is a terminal. */
  readonly readInput: () => Promise<string | undefined>;
}

const keyPattern = /^so_[a-z]+_[0-9A-Za-z]{46}$/;

/**
 * The API key, from the environment or else from standard input; never from the command line.
 * @throws OperatorError where there is none, without what there is instead: it is nearly a key
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
