import type { Explanation } from './explanation.ts';

/** For `local/functions/`, `local/dynamodb/` and the files beside them. */
export const functions: readonly Explanation[] = [];
