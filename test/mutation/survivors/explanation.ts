/** Why a mutant that no test notices is left as it is. */
export interface Explanation {
  readonly file: string;
  /** The line that it changes, without what is around it. */
  readonly code: string;
  /** The same with the change, whose end can be in a later line of the source. */
  readonly changed: string;
  readonly reason: string;
}
