import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's young generation as small as it begins, at twice 1 MB.
 *
 * The list makes much that is soon forgotten. V8 would answer with an ever larger young generation,
 * from which nothing is gained: five million orders take 118 MB instead of 134, gzipped 102 instead
 * of 139. Not by `--max-semi-space-size` in `NODE_OPTIONS`: Lambda starts Node with a value of its
 * own for that on the command line, which wins.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}
