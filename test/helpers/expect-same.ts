import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';

/**
 * Expects what `toEqual` expects. Of values that are the same, as nearly all of many are, it takes a
 * small part of the time.
 *
 * @throws the difference
 */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
