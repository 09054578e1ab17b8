import type { Stage } from '../stage/stage.ts';

/** A check of one aspect of a stage. */
export interface Check {
  /** The numbers of the rules in docs/requirements.md, and the title of the group. */
  readonly group: string;
  readonly title: string;
  /** Throws `CheckFailed` if the stage is not as documented, or `CheckSkipped`. */
  readonly run: (stage: Stage) => Promise<unknown>;
}

/** Thrown by a check that cannot be made on this stage or with this key. */
export class CheckSkipped extends Error {}

/** Creates the checks of one group from their titles and functions. */
export function checksOf(group: string, checks: Readonly<Record<string, Check['run']>>): Check[] {
  return Object.entries(checks).map(([title, run]) => ({ group, title, run }));
}
