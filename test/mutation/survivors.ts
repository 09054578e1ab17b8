/** Why a mutant that no test notices is left as it is. */
interface Explanation {
  readonly file: string;
  /** The line that it changes, without what is around it. */
  readonly code: string;
  /** What stands there instead. */
  readonly replacement: string;
  readonly reason: string;
}

export const explanations: readonly Explanation[] = [];
