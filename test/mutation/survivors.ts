import type { Explanation } from './survivors/explanation.ts';
import { functions } from './survivors/functions.ts';
import { gateway } from './survivors/gateway.ts';
import { integrations } from './survivors/integrations.ts';
import { lambdas } from './survivors/lambdas.ts';

/** Why each mutant is left that no test notices. */
export const explanations: readonly Explanation[] = [
  ...lambdas,
  ...gateway,
  ...integrations,
  ...functions,
];
