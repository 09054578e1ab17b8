/** Why a local run cannot go on, in one line that says what to do about it. */
export class LocalRunError extends Error {
  override name = 'LocalRunError';
}
