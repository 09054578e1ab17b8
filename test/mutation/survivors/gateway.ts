import type { Explanation } from './explanation.ts';

/** For `local/gateway/` and `local/exchange/`. */
export const gateway: readonly Explanation[] = [];
