import type { Explanation } from './explanation.ts';

/** For `local/integrations/`, `local/iam/`, `local/template/`, `local/control-plane/` and `local/state/`. */
export const integrations: readonly Explanation[] = [];
