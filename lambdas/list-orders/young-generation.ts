import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation at its initial size of two semi-spaces of 1 MB.
 *
 * The list allocates many short-lived objects, to which V8 reacts by growing the young generation.
 * That costs memory and saves no time: without growth, five million orders take 118 MB instead of
 * 134 MB, and 102 MB instead of 139 MB with gzip. `--max-semi-space-size` in `NODE_OPTIONS` cannot
 * be used, because Lambda sets that option on the command line, which takes precedence.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
